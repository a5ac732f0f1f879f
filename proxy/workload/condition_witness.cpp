#include "proxy/workload/condition_witness.hpp"

#include <algorithm>
#include <optional>

namespace isotap::proxy {
namespace {

using history::Event;
using history::Version;
using history::VersionKind;

/// A change whose two images are known, and where they stand in the list that is asked about.
struct Asked {
    RowChange change;
    std::optional<std::size_t> before;  ///< nothing: there is no row
    std::optional<std::size_t> after;
};

std::optional<std::size_t> place_of(const std::optional<std::string>& image,
                                    std::vector<std::string>& images) {
    if (!image) return std::nullopt;
    images.push_back(*image);
    return images.size() - 1;
}

}  // namespace

void ConditionWitness::look() {
    for (SeenRow& row : server_.rows()) {
        if (!looked_) before_us_.insert(row.version);
        images_.try_emplace({std::move(row.table), row.key, row.version}, std::move(row.image));
    }
    looked_ = true;
}

/// With what was there before any session: T0.
Event ConditionWitness::placed(Event event) const {
    auto* access = std::get_if<history::Access>(&event);
    if (access != nullptr && access->before.kind == VersionKind::foreign &&
        before_us_.contains(static_cast<std::uint32_t>(access->before.writer))) {
        access->before = Version::initial();
    }
    return event;
}

ConditionWitness::Image ConditionWitness::image_of(const RunDigest& digest, const RowChange& change,
                                                   const Version& version) const {
    std::vector<std::uint32_t> writers;
    switch (version.kind) {
        case VersionKind::unborn:
        case VersionKind::dead: return std::optional<std::string>();
        case VersionKind::initial: writers = {0}; break;
        case VersionKind::foreign: writers = {static_cast<std::uint32_t>(version.writer)}; break;
        case VersionKind::written:
            writers = digest.numbers(history::TransactionId{version.writer});
            break;
        case VersionKind::unknown: return std::nullopt;
    }
    for (const std::uint32_t writer : writers) {
        const auto found = images_.find({change.table, change.row, writer});
        if (found != images_.end()) return std::optional(found->second);
    }
    return std::nullopt;
}

std::vector<ConditionWitness::Judged> ConditionWitness::judge(const RunDigest& digest,
                                                              const ConditionRead& read) const {
    const bool dirty =
        digest.fate(read.statement.transaction).level == history::IsolationLevel::read_uncommitted;
    std::vector<std::string> images;
    std::vector<Asked> asked;
    for (RowChange& change : digest.changes()) {
        if (change.table != read.condition.table ||
            change.last.transaction == read.statement.transaction ||
            (dirty && digest.changed_in_vain(change.table, change.row))) {
            continue;
        }
        const Image before = image_of(digest, change, change.before);
        const Image after = image_of(digest, change, change.after);
        if (!before || !after) continue;
        const auto at = place_of(*before, images);
        asked.push_back({std::move(change), at, place_of(*after, images)});
    }
    const std::vector<bool> meets =
        server_.matches(read.condition.table, read.condition.alias, read.condition.text, images);
    std::vector<Judged> judged;
    if (meets.size() != images.size()) return judged;
    for (Asked& one : asked) {
        const bool before = one.before && meets[*one.before];
        const bool after = one.after && meets[*one.after];
        if (before || after) judged.push_back({std::move(one.change), before, after});
    }
    return judged;
}

/// A locking read of the MySQL family sees what is current: it contradicts no plain read before it.
bool ConditionWitness::sees_past_its_snapshot(const RunDigest& digest,
                                              const ConditionRead& read) const {
    const history::IsolationLevel level = digest.fate(read.statement.transaction).level;
    return server_.target().dialect == history::Dialect::mysql &&
           read.condition.use == Condition::Use::locking_read &&
           (level == history::IsolationLevel::repeatable_read ||
            level == history::IsolationLevel::snapshot);
}

void ConditionWitness::tell(const RunDigest& digest, const KeptEvents& events,
                            const std::function<void(const Event&)>& hand_on) const {
    std::multimap<std::size_t, Event> found;  // by the event that they follow
    std::uint64_t id = 0;
    for (const ConditionRead& read : digest.reads()) {
        const auto table = digest.table(read.condition.table);
        if (!table) continue;
        const history::PredicateId predicate{++id};
        // The first statement to touch a row of the table may come later.
        found.emplace(read.known_from, history::NameDefined{*table, digest.table_name(*table)});
        found.emplace(read.known_from, history::PredicateRead{read.statement, predicate, *table,
                                                              read.condition.text});
        const bool current = sees_past_its_snapshot(digest, read);
        for (const Judged& one : judge(digest, read)) {
            found.emplace(std::max(read.known_from, one.change.known_from),
                          history::PredicateMatch{predicate, one.change.last, one.change.row,
                                                  one.before && !current, one.after});
        }
    }
    for (std::size_t at = 0; at < events.all().size(); ++at) {
        hand_on(placed(events.all()[at]));
        const auto [first, last] = found.equal_range(at);
        for (auto next = first; next != last; ++next) hand_on(next->second);
    }
}

}  // namespace isotap::proxy
