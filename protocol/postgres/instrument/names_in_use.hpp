#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "protocol/postgres/instrument/planned_text.hpp"
#include "protocol/postgres/name_table.hpp"

namespace isotap::postgres::instrument {

/// What the names of a session, of its statements or of its portals, will stand for once the server
/// has done all it was asked. What it then refuses to do is taken back, newest first.
class NamesInUse : public NameTable<Prepared> {
  public:
    /// What a request has changed: how to take it back.
    struct Change {
        std::string name;
        Meaning before;
    };

    using NameTable::NameTable;

    /// Null: nobody knows.
    Change change(std::string_view name, Meaning meaning) {
        return {std::string(name), set(name, std::move(meaning))};
    }
    void take_back(Change change) { set(change.name, std::move(change.before)); }

    /// What EXECUTE of this name runs in the end: the statement may be an EXECUTE itself. Null: not
    /// known.
    [[nodiscard]] Meaning run_by(std::string_view name) const {
        constexpr int steps_max = 64;  // a circle is the server's to refuse
        Meaning meaning = find(name);
        for (int steps = 0; meaning && !meaning->statement.executes.empty(); ++steps) {
            meaning = steps < steps_max ? find(meaning->statement.executes) : nullptr;
        }
        return meaning;
    }
};

/// What a FETCH or an EXECUTE shows is that of the cursor or statement that its name stands for
/// now.
inline void follow_names(PlannedStatement& statement, const NamesInUse& statements,
                         const NamesInUse& portals) {
    const auto run = statement.executes.empty() ? nullptr : statements.run_by(statement.executes);
    statement.runs = run && run->statement.names_something() ? run : nullptr;
    if (statement.runs) {
        const PlannedStatement nothing;
        statement.follow(&nothing, {});
        return;
    }
    const std::string& cursor = run ? run->statement.fetches : statement.fetches;
    const auto other = cursor.empty() ? run : portals.find(cursor);
    statement.follow(other ? &other->statement : nullptr, cursor.empty() ? "execute" : "cursor");
}

}  // namespace isotap::postgres::instrument
