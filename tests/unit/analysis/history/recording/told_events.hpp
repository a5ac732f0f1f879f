#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "isotap/history/events.hpp"

namespace isotap::test {

/// Writes down every event with every field, to compare streams.
class ToldEvents final : public history::EventSink {
  public:
    void accept(const history::Event& event) noexcept override {
        lines.push_back(std::visit([](const auto& one) { return line(one); }, event));
    }

    std::vector<std::string> lines;

  private:
    template <typename Number>
    static auto n(Number number) {
        return static_cast<std::int64_t>(number);
    }
    static auto at(Time time) { return time.time_since_epoch().count(); }
    static std::string by(const history::StatementRef& statement) {
        return fmt::format("{}.{}", n(statement.transaction), statement.ordinal);
    }
    static std::string row(const history::RowKey& row) {
        return fmt::format("{:x}:{:x}", row.high, row.low);
    }
    static std::string version(const history::Version& version) {
        return fmt::format("{}/{}/{}", n(version.kind), version.writer, version.statement);
    }

    static std::string line(const history::NameDefined& e) {
        return fmt::format("name {} {}", n(e.id), e.text);
    }
    static std::string line(const history::SessionBegan& e) {
        return fmt::format("session {} {} {} {}|{}|{}", n(e.session), at(e.at), n(e.dialect),
                           e.user, e.database, e.application);
    }
    static std::string line(const history::SessionEnded& e) {
        return fmt::format("session ended {} {}", n(e.session), at(e.at));
    }
    static std::string line(const history::TransactionBegan& e) {
        return fmt::format("began {} {} {} {}", n(e.session), n(e.transaction), at(e.at),
                           e.implicit);
    }
    static std::string line(const history::TransactionLevel& e) {
        return fmt::format("level {} {} {} {}", n(e.transaction), n(e.level), n(e.source),
                           e.read_only);
    }
    static std::string line(const history::TransactionEnded& e) {
        return fmt::format("ended {} {} {} {} {}", n(e.transaction), at(e.requested), at(e.at),
                           n(e.outcome), e.incomplete);
    }
    static std::string line(const history::StatementBegan& e) {
        return fmt::format("statement {} {} {} {}", by(e.statement), at(e.at), e.text, e.text_cut);
    }
    static std::string line(const history::StatementEnded& e) {
        return fmt::format("statement ended {} {} {} {} {} {} {} {} {}", by(e.statement), at(e.at),
                           n(e.outcome), n(e.coverage),
                           std::string_view(e.sql_state.data(), e.sql_state.size()), e.error_number,
                           e.rows, n(e.reason), e.tag);
    }
    static std::string line(const history::Savepoint& e) {
        return fmt::format("savepoint {} {} {}", by(e.statement), n(e.action), e.name);
    }
    static std::string line(const history::Access& e) {
        return fmt::format("access {} {} {} {} {} {}", by(e.statement), n(e.table), row(e.row),
                           n(e.kind), version(e.before), version(e.after));
    }
    static std::string line(const history::WriterList& e) {
        std::string text =
            fmt::format("writers {} {} {} {}:", by(e.statement), n(e.table), row(e.row), e.trimmed);
        for (const history::Version& writer : e.writers) {
            text += " " + version(writer);
        }
        return text;
    }
    static std::string line(const history::RowLabelled& e) {
        return fmt::format("label {} {} {}", n(e.table), row(e.row), e.label);
    }
    static std::string line(const history::RowImage& e) {
        return fmt::format("image {} {} {} {}|{}", by(e.statement), n(e.table), row(e.row),
                           e.before, e.after);
    }
    static std::string line(const history::PredicateRead& e) {
        return fmt::format("predicate {} {} {} {}", by(e.statement), n(e.predicate), n(e.table),
                           e.condition);
    }
    static std::string line(const history::PredicateMatch& e) {
        return fmt::format("match {} {} {} {} {}", n(e.predicate), by(e.writer), row(e.row),
                           e.before, e.after);
    }
    static std::string line(const history::Alias& e) {
        return fmt::format("alias {} {}", n(e.transaction), e.server_transaction);
    }
    static std::string line(const history::TableEmptied& e) {
        return fmt::format("emptied {} {}", by(e.statement), n(e.table));
    }
    static std::string line(const history::HeldRead& e) {
        return fmt::format("held {} {} {} {}", by(e.statement), n(e.table), row(e.row),
                           version(e.before));
    }
    static std::string line(const history::Gap& e) {
        return fmt::format("gap {} {} {} {} {}", n(e.session), n(e.transaction), at(e.at), e.count,
                           n(e.reason));
    }
};

}  // namespace isotap::test
