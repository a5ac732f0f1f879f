#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "isotap/analysis/contract.hpp"
#include "isotap/analysis/engine.hpp"
#include "isotap/base/limits.hpp"

#include "proxy/tap/bulletin.hpp"
#include "proxy/tap/kept_history.hpp"
#include "proxy/tap/known_transactions.hpp"
#include "proxy/tap/name_table.hpp"
#include "proxy/tap/table_spaces.hpp"

namespace isotap::proxy {

struct AnalystOptions {
    history::Dialect dialect = history::Dialect::postgres;
    const analysis::Contract* contract = nullptr;  ///< must outlive the analyst; may be null
    bool values = false;                           ///< literals of statements are shown
    Limits limits;
};

/// What the analysis thread does with each event: the engine gets it, the last transactions are
/// remembered, and what is found is written down with all that it mentions.
///
/// One thread, but for `transaction`, which any thread may ask.
class Analyst {
  public:
    using OnRecord = std::function<void(const Bulletin::Record&)>;

    Analyst(AnalystOptions options, Bulletin& bulletin, OnRecord on_record);

    /// Events of all lanes go to `recorder`, with names that are the same for all. May be null.
    void set_recorder(history::EventSink* recorder) noexcept { recorder_ = recorder; }

    /// `lane`: the relay thread that it comes from. `restart`: so much was lost that nothing from
    /// before can be joined with what follows.
    void accept(std::size_t lane, const history::Event& event, bool restart);

    /// How far the events of one relay thread may lag behind those of another. All have one clock,
    /// and the ring that is furthest behind is emptied first: they lag by batches.
    static constexpr std::chrono::milliseconds arrival_skew{500};

    /// Looks for cycles, and tells the bulletin how things stand.
    void search();

    /// The same when nothing is on its way at the moment, so that what only time decides can be
    /// settled: nobody waits for the next event to be told of the last one.
    void pass_time(Time now);

    /// Whether `pass_time` would settle something, although nothing came since the last search.
    [[nodiscard]] bool is_due(Time now) const noexcept { return now >= due_; }

    /// No event will follow.
    void finish();

    /// What is remembered of a transaction; from any thread.
    [[nodiscard]] std::optional<KeptTransaction> transaction(history::TransactionId id) const;

  private:
    using RowName = std::pair<history::NameId, history::RowKey>;

    void take(history::Event& event);
    void rename(std::size_t lane, history::Event& event);
    void note(const history::Event& event);
    void on_anomaly(analysis::Anomaly&& anomaly);
    void describe(AnomalyRecord& record) const;
    void start_engine();
    template <typename Search>
    void timed(Search search);
    void publish();

    AnalystOptions options_;
    Bulletin& bulletin_;
    OnRecord on_record_;
    history::EventSink* recorder_ = nullptr;
    KnownTransactions recorded_;
    NameTable names_;
    TableSpaces spaces_;
    mutable std::mutex kept_mutex_;  ///< only `transaction` comes from elsewhere
    KeptHistory kept_;
    std::map<RowName, std::string> labels_;
    std::unique_ptr<analysis::Engine> engine_;
    analysis::Statistics past_;  ///< of engines before a restart
    std::uint64_t next_anomaly_ = 1;
    Time due_ = Time::max();  ///< see `is_due`
    AnalysisStatus status_;
};

}  // namespace isotap::proxy
