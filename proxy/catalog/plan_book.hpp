#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "isotap/base/limits.hpp"
#include "isotap/proxy/counters.hpp"
#include "isotap/proxy/options.hpp"

#include "protocol/sql/plan_source.hpp"
#include "protocol/sql/shape.hpp"
#include "proxy/catalog/catalog_thread.hpp"
#include "proxy/catalog/plan_job.hpp"
#include "proxy/net/poller.hpp"

namespace isotap::proxy {

/// Where a plan book lives: on a relay thread, all of whose parts outlive it.
struct PlanBookHome {
    Poller& poller;
    const Limits& limits;
    RelayCounters& counters;
    std::function<void(history::SessionId)> release;  ///< lets a held client go on
};

/// The plans that one relay thread knows of one listener. Whoever is answered from it takes no
/// lock; what is not in it, the catalog thread makes, which outlives it and has to be stopped
/// before it goes.
class PlanBook final : public sql::PlanSource {
  public:
    PlanBook(const PlanBookHome& home, CatalogThread& catalog, Prove prove);

    sql::ContextId context(const sql::PlanContext& context) override;
    std::shared_ptr<const sql::Plan> find(const sql::PlanQuestion& question, bool insist) override;
    void on_schema_changed(sql::ContextId context) noexcept override;
    void on_table_made(sql::ContextId context, const std::string& schema,
                       const std::string& table) noexcept override;

  private:
    struct Key {
        sql::Fingerprint shape;
        sql::ContextId context{};
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct HashOfKey {
        std::size_t operator()(const Key& key) const noexcept {
            return std::hash<sql::Fingerprint>{}(key.shape) ^
                   static_cast<std::size_t>(key.context) * 0x9E3779B97F4A7C15ULL;
        }
    };
    struct Entry {
        Key key;
        std::shared_ptr<const sql::Plan> plan;
        std::uint64_t generation = 0;  ///< 0: for ever
        std::int64_t try_again = 0;    ///< not 0: a plan that was made for want of a better one
        bool asked = false;
        std::vector<history::SessionId> waiting;
    };
    using Entries = std::list<Entry>;  // the one used last stands first

    [[nodiscard]] bool is_good(const Entry& entry, const KnownContext& known) const;
    Entry& enter(const Key& key);
    /// False when too many wait already.
    bool ask(Entry& entry, const sql::PlanQuestion& question);
    void on_answer(const Key& key, PlanAnswer answer);

    PlanBookHome home_;
    CatalogThread& catalog_;
    Prove prove_;
    std::uint64_t shape_key_;
    std::vector<std::shared_ptr<const KnownContext>> contexts_;  // by id; the first is nobody's
    Entries entries_;
    std::unordered_map<Key, Entries::iterator, HashOfKey> index_;
};

}  // namespace isotap::proxy
