#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "isotap/analysis/engine.hpp"

#include "analysis/anomalies/cycles.hpp"
#include "analysis/anomalies/seen_before.hpp"
#include "analysis/dependencies/inference.hpp"
#include "analysis/graph/dependency_graph.hpp"
#include "analysis/graph/search_graph.hpp"

namespace isotap::analysis {

/// Joins the parts: events go to inference, its dependencies to the graph, and from time to time
/// the graph is searched for cycles and cleared of what is settled.
class Engine::Body final : public DependencySink {
  public:
    explicit Body(EngineOptions options);

    void accept(const history::Event& event) {
        inference_.accept(event);
        if (std::holds_alternative<history::TransactionEnded>(event) &&
            ++since_search_ >= next_search_) {
            search();
        }
    }

    void search();
    [[nodiscard]] std::optional<Time> due() const { return inference_.due(); }
    void pass_time(Time now) {
        inference_.pass_time(now);
        search();
    }
    void finish();
    [[nodiscard]] Verdict verdict() const noexcept;
    [[nodiscard]] const Statistics& statistics() const noexcept { return statistics_; }
    [[nodiscard]] const std::vector<Anomaly>& anomalies() const noexcept { return anomalies_; }

    void on_dependency(const Dependency& dependency) override {
        ++statistics_.edges;
        graph_.add(dependency);
    }
    void on_finding(AnomalyType type, std::span<const Dependency> steps) override {
        report({type, false, Order::none}, {steps.begin(), steps.end()});
    }
    void on_excused() override { ++statistics_.excused; }
    void on_breach() override { ++statistics_.breaches; }
    void on_stale_read(const Dependency& read, const history::Version& overwriter,
                       Time ended) override;

  private:
    [[nodiscard]] std::vector<SearchGraph::Member> members() const;
    void find_cycles(const SearchGraph& graph, const Components& components);
    void report_cycle(const SearchGraph& graph, AnomalyKind kind,
                      const std::vector<CycleSearch::Step>& steps);
    void report(AnomalyKind kind, const std::vector<Dependency>& steps);
    void publish(Anomaly&& anomaly);
    [[nodiscard]] CycleEdge described(const Dependency& step) const;
    void add_transaction(Anomaly& anomaly, Slot slot, history::TransactionId id) const;
    void retire_settled(const SearchGraph& graph, const Components& components);
    void retire_outside_graph();
    void retire_oldest();
    void retire_from_large(const SearchGraph& graph, const Components& components);
    void force_out(std::vector<Slot> ended, std::size_t count);
    void forget_edges();
    void tell_serial_order(const SearchGraph& graph, const Components& components);
    void leave(Slot transaction);

    EngineOptions options_;
    Statistics statistics_;
    DependencyGraph graph_;
    Inference inference_;
    SeenBefore seen_before_;
    SeenBefore excused_before_;
    std::vector<Anomaly> anomalies_;
    std::uint64_t next_id_ = 1;
    std::size_t since_search_ = 0;
    std::size_t next_search_ = options_.search_every;
    std::size_t searched_edges_ = 0;  ///< the first so many were there at the last search
    bool finished_ = false;
};

}  // namespace isotap::analysis
