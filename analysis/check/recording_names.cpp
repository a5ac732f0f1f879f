#include "analysis/check/recording_names.hpp"

#include <fmt/format.h>

#include "analysis/report/clock_text.hpp"
#include "analysis/report/row_text.hpp"

namespace isotap::analysis {

std::string spell(const history::Version& version) {
    switch (version.kind) {
        case history::VersionKind::unknown: return "?";
        case history::VersionKind::initial: return "T0";
        case history::VersionKind::unborn: return "unborn";
        case history::VersionKind::dead: return "dead";
        case history::VersionKind::written:
            return fmt::format("T{}.{}", version.writer, version.statement);
        case history::VersionKind::foreign: return fmt::format("x{}", version.writer);
    }
    return "?";
}

std::string_view spell(history::AccessKind kind) noexcept {
    switch (kind) {
        case history::AccessKind::read: return "read";
        case history::AccessKind::locking_read: return "read with a lock";
        case history::AccessKind::doubtful_read: return "read behind a write that is not told";
        case history::AccessKind::insert: return "insert";
        case history::AccessKind::update: return "update";
        case history::AccessKind::remove: return "delete";
    }
    return "read";
}

/// A statement without a text is told by what it did.
class RecordingNames::Collector final : public history::EventSink {
  public:
    Collector(RecordingNames& names, std::span<const Anomaly> anomalies) : names_(names) {
        for (const Anomaly& anomaly : anomalies) {
            for (const CycleEdge& edge : anomaly.edges) {
                rows_.insert({edge.table, edge.row});
            }
            for (const InvolvedTransaction& transaction : anomaly.transactions) {
                names_.statements_[transaction.id];
            }
        }
    }

    void accept(const history::Event& event) noexcept override {
        if (const auto* name = std::get_if<history::NameDefined>(&event)) {
            names_.names_[name->id] = name->text;
        } else if (const auto* label = std::get_if<history::RowLabelled>(&event)) {
            if (rows_.contains({label->table, label->row})) {
                names_.labels_[{label->table, label->row}] = label->label;
            }
        } else if (const auto* began = std::get_if<history::TransactionBegan>(&event)) {
            if (names_.statements_.contains(began->transaction)) {
                names_.began_[began->transaction] = began->at;
            }
        } else if (const auto* statement = std::get_if<history::StatementBegan>(&event)) {
            if (std::string* text = text_of(statement->statement)) {
                *text = statement->text;
            }
        } else if (const auto* access = std::get_if<history::Access>(&event)) {
            std::string* text = text_of(access->statement);
            if (text != nullptr && text->empty()) {
                *text = fmt::format("{} {} {}", spell(access->kind), names_.table(access->table),
                                    row_text(access->row));
            }
        }
    }

  private:
    std::string* text_of(const history::StatementRef& statement) {
        const auto found = names_.statements_.find(statement.transaction);
        return found == names_.statements_.end() ? nullptr : &found->second[statement.ordinal];
    }

    RecordingNames& names_;
    std::set<Row> rows_;
};

std::optional<history::ReadError> RecordingNames::collect(history::recording::Recording& recording,
                                                          std::span<const Anomaly> anomalies) {
    Collector collector(*this, anomalies);
    return anomalies.empty() ? recording.tell_names(collector) : recording.replay(collector);
}

std::string RecordingNames::transaction(history::TransactionId id) const {
    return fmt::format("T{}", static_cast<std::uint64_t>(id));
}

std::string RecordingNames::origin(history::TransactionId id) const {
    const auto found = began_.find(id);
    return found == began_.end() ? "" : "began " + clock_text(found->second);
}

std::string RecordingNames::table(history::NameId table) const {
    const auto found = names_.find(table);
    return found == names_.end() ? "" : found->second;
}

std::string RecordingNames::row(history::NameId table, history::RowKey row) const {
    const auto found = labels_.find({table, row});
    return found == labels_.end() ? row_text(row) : found->second;
}

std::string RecordingNames::value(history::Version /*version*/) const {
    return "";
}

std::vector<NamedStatement> RecordingNames::statements(history::TransactionId id) const {
    std::vector<NamedStatement> statements;
    if (const auto found = statements_.find(id); found != statements_.end()) {
        for (const auto& [ordinal, text] : found->second) {
            statements.push_back({ordinal, text});
        }
    }
    return statements;
}

}  // namespace isotap::analysis
