#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "isotap/base/limits.hpp"
#include "isotap/history/events.hpp"
#include "isotap/history/names.hpp"
#include "isotap/history/transaction_ids.hpp"
#include "isotap/protocol/session.hpp"

#include "protocol/sql/plan_source.hpp"
#include "protocol/sql/planner.hpp"
#include "tests/support/descriptor.hpp"

namespace isotap::test {

/// Plans by the planner itself, over tables that the test names. Every shape is 'being made' when
/// it is asked for first, so that the session must hold its client.
class PlannedTables final : public sql::PlanSource {
  public:
    /// Columns as the client sees them; `auto_increment` may be empty.
    void add(std::string name, std::vector<std::string> columns, std::string auto_increment);

    sql::ContextId context(const sql::PlanContext& context) override;
    std::shared_ptr<const sql::Plan> find(const sql::PlanQuestion& question, bool insist) override;
    void on_schema_changed(sql::ContextId context) noexcept override;

    [[nodiscard]] int schema_changes() const noexcept { return schema_changes_; }

  private:
    class Tables final : public sql::Catalog {
      public:
        [[nodiscard]] const sql::Table* find(std::string_view schema,
                                             std::string_view name) const override;
        [[nodiscard]] bool is_user_aggregate(std::string_view /*name*/) const override {
            return false;
        }
        std::vector<std::pair<std::string, sql::Table>> tables;
    };

    Tables tables_;
    std::set<std::string> asked_;
    int schema_changes_ = 0;
};

/// Instrumented sessions between real clients and a real server, without the rest of the proxy: one
/// thread per connection, one at a time in the sessions. The destructor ends them all.
class InstrumentBridge {
  public:
    /// `events` is called under a lock.
    InstrumentBridge(std::uint16_t server, sql::PlanSource& plans, history::EventSink& events);
    ~InstrumentBridge();
    InstrumentBridge(const InstrumentBridge&) = delete;
    InstrumentBridge& operator=(const InstrumentBridge&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    /// Fuses, desynchronised sessions: must stay 0.
    [[nodiscard]] int surprises() const noexcept { return surprises_; }

    /// Bytes are handed to the sessions one by one.
    void slice() noexcept { sliced_ = true; }

  private:
    class Connection;

    void accept();

    std::uint16_t server_;
    sql::PlanSource& plans_;
    history::EventSink& events_;
    history::Names names_{events_};
    history::TransactionIds transactions_{7, 0};
    Limits limits_;
    std::mutex mutex_;
    Descriptor listener_;
    std::uint16_t port_ = 0;
    std::atomic<bool> ending_ = false;
    std::atomic<bool> sliced_ = false;
    std::atomic<int> surprises_ = 0;
    std::uint64_t sessions_ = 0;
    std::vector<std::thread> threads_;
    std::thread acceptor_;
};

}  // namespace isotap::test
