#include "analysis/check/chronicle.hpp"

#include <array>
#include <ostream>

#include <fmt/format.h>

#include "analysis/check/recording_names.hpp"
#include "analysis/history/words.hpp"
#include "analysis/report/clock_text.hpp"
#include "analysis/report/row_text.hpp"

namespace isotap::analysis {

namespace {

constexpr std::array statement_outcomes{"completed", "suspended", "failed", "skipped", "cut"};
constexpr std::array coverages{"nothing to capture", "not captured", "captured in part",
                               "captured"};
constexpr std::array savepoint_actions{"set", "released", "rolled back to"};

template <std::size_t Size, typename Enum>
const char* word(const std::array<const char*, Size>& words, Enum value) {
    return words.at(static_cast<std::size_t>(value));
}

std::string name(history::TransactionId id) {
    return fmt::format("T{}", static_cast<std::uint64_t>(id));
}

std::string name(const history::StatementRef& statement) {
    return fmt::format("{}.{}", name(statement.transaction), statement.ordinal);
}

}  // namespace

void Chronicle::accept(const history::Event& event) noexcept {
    std::visit([this](const auto& one) { take(one); }, event);
}

void Chronicle::tell(const std::string& line) {
    told_ = true;
    out_ << line << '\n';
}

bool Chronicle::about(history::TransactionId id) const noexcept {
    return subject_.transaction == id && !subject_.statement;
}

bool Chronicle::about(const history::StatementRef& statement) const noexcept {
    return subject_.transaction == statement.transaction &&
           (!subject_.statement || *subject_.statement == statement.ordinal);
}

bool Chronicle::about_row(history::NameId table, const history::RowKey& row) const {
    if (subject_.transaction) {
        return false;
    }
    const auto found = names_.find(table);
    return found != names_.end() && found->second == subject_.table &&
           (labelled_ == row || row_text(row) == subject_.row);
}

std::string Chronicle::row_name(history::NameId table, const history::RowKey& row) const {
    const auto found = names_.find(table);
    return fmt::format("row {} of {}", row_text(row), found == names_.end() ? "?" : found->second);
}

void Chronicle::take(const history::NameDefined& event) {
    names_[event.id] = event.text;
}

void Chronicle::take(const history::RowLabelled& event) {
    const auto found = names_.find(event.table);
    if (found != names_.end() && found->second == subject_.table && event.label == subject_.row) {
        labelled_ = event.row;
    }
}

void Chronicle::take(const history::TransactionBegan& event) {
    if (about(event.transaction)) {
        tell(fmt::format("{} {} began in session {}{}", clock_text(event.at),
                         name(event.transaction), static_cast<std::uint64_t>(event.session),
                         event.implicit ? ", by itself" : ""));
    }
}

void Chronicle::take(const history::TransactionLevel& event) {
    if (about(event.transaction)) {
        tell(fmt::format("  at {}{}", history::to_string(event.level),
                         event.read_only ? ", read only" : ""));
    }
}

void Chronicle::take(const history::TransactionEnded& event) {
    if (about(event.transaction)) {
        tell(fmt::format("{} {} {}{}", clock_text(event.at), name(event.transaction),
                         history::to_string(event.outcome),
                         event.incomplete ? ", not captured completely" : ""));
    }
}

void Chronicle::take(const history::StatementBegan& event) {
    if (about(event.statement)) {
        tell(fmt::format("{} {}: {}{}", clock_text(event.at), name(event.statement), event.text,
                         event.text_cut ? " …" : ""));
    }
}

void Chronicle::take(const history::StatementEnded& event) {
    if (about(event.statement)) {
        const std::string reason =
            event.reason == history::no_name ? "" : ": " + names_[event.reason];
        tell(fmt::format("{} {} {}, {} rows, {}{}", clock_text(event.at), name(event.statement),
                         word(statement_outcomes, event.outcome), event.rows,
                         word(coverages, event.coverage), reason));
    }
}

void Chronicle::take(const history::Savepoint& event) {
    if (about(event.statement)) {
        tell(fmt::format("  {} savepoint {} {}", name(event.statement), event.name,
                         word(savepoint_actions, event.action)));
    }
}

void Chronicle::take(const history::Access& event) {
    if (!about(event.statement) && !about_row(event.table, event.row)) {
        return;
    }
    const bool writes = !history::is_read(event.kind);
    tell(fmt::format("  {} {} {}: {}{}", name(event.statement), spell(event.kind),
                     row_name(event.table, event.row), spell(event.before),
                     writes ? " -> " + spell(event.after) : ""));
}

void Chronicle::take(const history::HeldRead& event) {
    take(history::Access{
        event.statement, event.table, event.row, history::AccessKind::read, event.before, {}});
}

void Chronicle::take(const history::TableEmptied& event) {
    const auto found = names_.find(event.table);
    const std::string table = found == names_.end() ? "?" : found->second;
    if (about(event.statement) || (!subject_.transaction && table == subject_.table)) {
        tell(fmt::format("  {} emptied {}", name(event.statement), table));
    }
}

void Chronicle::take(const history::WriterList& event) {
    if (!about(event.statement) && !about_row(event.table, event.row)) {
        return;
    }
    std::string writers;
    for (const history::Version& writer : event.writers) {
        writers += (writers.empty() ? "" : ",") + spell(writer);
    }
    tell(fmt::format("  {} found the writers of {}: {}{}", name(event.statement),
                     row_name(event.table, event.row), event.trimmed == 0 ? "" : "…,", writers));
}

void Chronicle::take(const history::PredicateRead& event) {
    if (about(event.statement)) {
        tell(fmt::format("  {} chose rows of {} where {}", name(event.statement),
                         names_[event.table], event.condition));
    }
}

void Chronicle::take(const history::Alias& event) {
    if (about(event.transaction)) {
        tell(fmt::format("  the server calls it {}", event.server_transaction));
    }
}

void Chronicle::take(const history::Gap& event) {
    if (about(event.transaction)) {
        const std::string reason =
            event.reason == history::no_name ? "" : ": " + names_[event.reason];
        tell(fmt::format("{} a gap of {}{}", clock_text(event.at), event.count, reason));
    }
}

}  // namespace isotap::analysis
