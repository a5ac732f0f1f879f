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
    const RowChange* change = nullptr;
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
        case VersionKind::foreign: writers = {static_cast<std::uint32_t>(version.writer)}; break;
        case VersionKind::written: writers = digest.numbers(change.last.transaction); break;
        case VersionKind::initial:
        case VersionKind::unknown: return std::nullopt;
    }
    for (const std::uint32_t writer : writers) {
        const auto found = images_.find({change.table, change.row, writer});
        if (found != images_.end()) return std::optional(found->second);
    }
    return std::nullopt;
}

void ConditionWitness::judge(const RunDigest& digest, const Condition& condition,
                             history::PredicateId id, std::multimap<std::size_t, Event>& found) {
    std::vector<std::string> images;
    std::vector<Asked> asked;
    const std::vector<RowChange> changes = digest.changes();
    for (const RowChange& change : changes) {
        if (change.table != condition.table ||
            change.last.transaction == condition.statement.transaction) {
            continue;
        }
        const Image before = image_of(digest, change, change.before);
        const Image after = image_of(digest, change, change.after);
        if (!before || !after) continue;
        const auto at = place_of(*before, images);
        asked.push_back({&change, at, place_of(*after, images)});
    }
    const std::vector<bool> meets =
        server_.matches(condition.table, condition.alias, condition.text, images);
    if (meets.size() != images.size()) return;
    for (const Asked& one : asked) {
        const bool before = one.before && meets[*one.before];
        const bool after = one.after && meets[*one.after];
        if (before == after) continue;
        found.emplace(
            std::max(condition.known_from, one.change->known_from),
            history::PredicateMatch{id, one.change->last, one.change->row, before, after});
    }
}

void ConditionWitness::tell(const KeptEvents& events,
                            const std::function<void(const Event&)>& hand_on) {
    const RunDigest digest(events, scratch_name());
    std::multimap<std::size_t, Event> found;  // by the event that they follow
    std::uint64_t id = 0;
    for (const Condition& condition : digest.conditions()) {
        const auto table = digest.table(condition.table);
        if (!table) continue;
        const history::PredicateId predicate{++id};
        // The first statement to touch a row of the table may come later.
        found.emplace(condition.known_from,
                      history::NameDefined{*table, digest.table_name(*table)});
        found.emplace(condition.known_from, history::PredicateRead{condition.statement, predicate,
                                                                   *table, condition.text});
        judge(digest, condition, predicate, found);
    }
    for (std::size_t at = 0; at < events.all().size(); ++at) {
        hand_on(placed(events.all()[at]));
        const auto [first, last] = found.equal_range(at);
        for (auto next = first; next != last; ++next) hand_on(next->second);
    }
}

}  // namespace isotap::proxy
