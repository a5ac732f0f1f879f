#include "proxy/tap/bulletin.hpp"

#include <algorithm>

namespace isotap::proxy {
namespace {

/// The statements of anomalies may be long: this many bytes of them at most.
constexpr std::size_t bytes_max = std::size_t{64} * 1024 * 1024;

}  // namespace

std::string_view to_string(StatementKind kind) noexcept {
    switch (kind) {
        case StatementKind::select: return "select";
        case StatementKind::insert: return "insert";
        case StatementKind::update: return "update";
        case StatementKind::remove: return "delete";
        case StatementKind::transaction: return "transaction";
        case StatementKind::other: break;
    }
    return "other";
}

void Bulletin::publish(AnalysisStatus status) {
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
}

void Bulletin::add(Record record) {
    const std::lock_guard lock(mutex_);
    ++tally_[{name_of(record->anomaly.kind), record->anomaly.severity}];
    bytes_ += size_of(*record);
    records_.push_back(std::move(record));
    while (records_.size() > kept_max_ || (bytes_ > bytes_max && records_.size() > 1)) {
        bytes_ -= size_of(*records_.front());
        records_.pop_front();
    }
}

AnalysisStatus Bulletin::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

std::vector<Bulletin::Record> Bulletin::anomalies(std::uint64_t after) const {
    const std::lock_guard lock(mutex_);
    const auto first = std::find_if(records_.begin(), records_.end(),
                                    [after](const Record& r) { return r->anomaly.id > after; });
    return {first, records_.end()};
}

Bulletin::Record Bulletin::anomaly(std::uint64_t id) const {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(records_.begin(), records_.end(),
                                    [id](const Record& r) { return r->anomaly.id == id; });
    return found == records_.end() ? nullptr : *found;
}

Bulletin::Tally Bulletin::tally() const {
    const std::lock_guard lock(mutex_);
    return tally_;
}

}  // namespace isotap::proxy
