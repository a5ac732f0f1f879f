#include "proxy/catalog/plan_book.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "isotap/base/byte_reader.hpp"

#include "protocol/sql/planner.hpp"

namespace isotap::proxy {
namespace {

/// How long a plan stands that says nothing about the statement.
constexpr std::int64_t try_again_ms = 1'000;

/// `used` is written by every thread: seldom enough to cost nothing.
constexpr std::int64_t used_precision_ms = 50;

constexpr sql::ContextId nobody{0};

std::uint64_t random_key() {
    std::random_device source;
    return static_cast<std::uint64_t>(source()) << 32 | source();
}

}  // namespace

PlanBook::PlanBook(const PlanBookHome& home, CatalogThread& catalog, Prove prove)
    : home_(home), catalog_(catalog), prove_(prove), shape_key_(random_key()), contexts_(1) {}

sql::ContextId PlanBook::context(const sql::PlanContext& context) {
    const auto found = std::find_if(contexts_.begin() + 1, contexts_.end(),
                                    [&](const auto& known) { return known->context == context; });
    if (found != contexts_.end()) {
        return static_cast<sql::ContextId>(found - contexts_.begin());
    }
    if (contexts_.size() > home_.limits.plan_contexts) {
        return nobody;
    }
    contexts_.push_back(std::make_shared<const KnownContext>(
        KnownContext{context, catalog_.database(context.database)}));
    return static_cast<sql::ContextId>(contexts_.size() - 1);
}

std::shared_ptr<const sql::Plan> PlanBook::find(const sql::PlanQuestion& question, bool insist) {
    if (question.context == nobody) {
        home_.counters.plans[static_cast<std::size_t>(PlanOutcome::too_many)].add();
        return opaque_plan("too many contexts");
    }
    const KnownContext& known = *contexts_[static_cast<std::size_t>(question.context)];
    const Key key{
        sql::fingerprint(question.tokens, question.lexing, shape_key_, question.parameter_types),
        question.context};
    Entry& entry = enter(key);
    if (is_good(entry, known)) {
        return entry.plan;
    }
    if (!entry.plan && !entry.asked) {
        if (auto plan = sql::plan_without_catalog(question.tokens, question.lexing)) {
            home_.counters.plans[static_cast<std::size_t>(PlanOutcome::unchanged)].add();
            entry.plan = std::make_shared<const sql::Plan>(std::move(*plan));
            return entry.plan;
        }
    }
    if (!entry.asked && !ask(entry, question)) {
        home_.counters.plans[static_cast<std::size_t>(PlanOutcome::too_many)].add();
        return opaque_plan("too many new statements");
    }
    if (insist || prove_ == Prove::later) {
        return opaque_plan("not proved yet");
    }
    entry.waiting.push_back(question.session);
    return nullptr;
}

bool PlanBook::is_good(const Entry& entry, const KnownContext& known) const {
    if (!entry.plan) {
        return false;
    }
    if (entry.generation == 0) {
        return true;
    }
    const std::int64_t now = steady_ms();
    KnownDatabase& database = *known.database;
    if (now - database.used.load(std::memory_order_relaxed) > used_precision_ms) {
        database.used.store(now, std::memory_order_relaxed);
    }
    if (entry.generation != database.generation.load(std::memory_order_acquire)) {
        return false;
    }
    if (entry.try_again != 0) {
        return now < entry.try_again;
    }
    return now - database.checked.load(std::memory_order_acquire) <= check_lasts_ms;
}

PlanBook::Entry& PlanBook::enter(const Key& key) {
    if (const auto found = index_.find(key); found != index_.end()) {
        entries_.splice(entries_.begin(), entries_, found->second);
        return *found->second;
    }
    if (index_.size() >= home_.limits.cached_plans) {
        index_.erase(entries_.back().key);
        entries_.pop_back();
    }
    entries_.emplace_front();
    entries_.front().key = key;
    index_.emplace(key, entries_.begin());
    return entries_.front();
}

bool PlanBook::ask(Entry& entry, const sql::PlanQuestion& question) {
    PlanJob job;
    job.where = contexts_[static_cast<std::size_t>(question.context)];
    job.text = question.text;
    job.lexing = question.lexing;
    ByteReader types(as_bytes(question.parameter_types));
    while (!types.at_end()) {
        job.parameter_types.push_back(types.be32());
    }
    job.had = entry.plan && entry.try_again == 0 ? entry.generation : 0;
    job.answer = [this, key = entry.key](PlanAnswer answer) {
        home_.poller.post([this, key, answer = std::move(answer)] { on_answer(key, answer); });
    };
    job.where->database->used.store(steady_ms(), std::memory_order_relaxed);
    entry.asked = catalog_.ask(std::move(job));
    return entry.asked;
}

void PlanBook::on_answer(const Key& key, PlanAnswer answer) {
    const auto found = index_.find(key);
    if (found == index_.end()) {
        return;  // it has made room; who waited is released by time
    }
    Entry& entry = *found->second;
    entry.asked = false;
    if (answer.plan) {
        home_.counters.plans[static_cast<std::size_t>(answer.outcome)].add();
        entry.plan = std::move(answer.plan);
        entry.generation = answer.generation;
        entry.try_again = answer.passing() ? steady_ms() + try_again_ms : 0;
    }
    for (const history::SessionId session : std::exchange(entry.waiting, {})) {
        home_.release(session);
    }
}

void PlanBook::on_schema_changed(sql::ContextId context) noexcept {
    if (context != nobody) {
        contexts_[static_cast<std::size_t>(context)]->database->generation.fetch_add(
            1, std::memory_order_acq_rel);
    }
}

void PlanBook::on_table_made(sql::ContextId context, const std::string& schema,
                             const std::string& table) noexcept {
    const auto& known = contexts_[static_cast<std::size_t>(context)];
    const std::string& in_use = known ? known->context.database : schema;
    catalog_.table_made(schema.empty() ? in_use : schema, table);
}

}  // namespace isotap::proxy
