#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "protocol/sql/plan_source.hpp"
#include "proxy/catalog/catalog_thread.hpp"
#include "proxy/catalog/plan_book.hpp"
#include "proxy/net/poller.hpp"

namespace isotap::proxy {

/// Asks a plan book as a session does: waits when it is told to, and then insists. One thread.
class Asker {
  public:
    using Plan = std::shared_ptr<const sql::Plan>;

    explicit Asker(const Upstream& upstream, Versions versions = Versions::automatic,
                   Prove prove = Prove::now, CatalogThread::Connect connect = connect_side)
        : catalog_(upstream, versions, limits.queued_plans, log_, std::move(connect)),
          book_({poller_, limits, counters,
                 [this](history::SessionId who) { released.push_back(who); }},
                catalog_, prove) {
        lexing.dialect = upstream.dialect;
    }
    ~Asker() { catalog_.stop(); }
    Asker(const Asker&) = delete;
    Asker& operator=(const Asker&) = delete;

    /// Null: the session has to wait.
    Plan find(const std::string& text, const sql::PlanContext& context, bool insist = false) {
        sql::TokenList tokens;
        tokens.read(text, lexing);
        return book_.find({session, book_.context(context), text, tokens, lexing, parameter_types},
                          insist);
    }

    void wait() {
        while (released.empty()) {
            poller_.run_one();
        }
        released.clear();
    }

    Plan plan(const std::string& text, const sql::PlanContext& context) {
        Plan found = find(text, context);
        if (found == nullptr) {
            wait();
            found = find(text, context, true);
        }
        return found;
    }

    void change_schema(const sql::PlanContext& context) {
        book_.on_schema_changed(book_.context(context));
    }

    std::shared_ptr<KnownDatabase> database(const std::string& name) {
        return catalog_.database(name);
    }

    [[nodiscard]] std::uint64_t count(PlanOutcome outcome) const {
        return counters.plans[static_cast<std::size_t>(outcome)].value();
    }

    Limits limits;
    RelayCounters counters;
    sql::LexerState lexing;
    std::string parameter_types;  ///< as `sql::PlanQuestion` has them
    history::SessionId session{7};
    std::vector<history::SessionId> released;

  private:
    Log log_{LogFormat::text, LogLevel::warning};
    Poller poller_;
    CatalogThread catalog_;
    PlanBook book_;
};

}  // namespace isotap::proxy
