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
};

}  // namespace isotap::postgres::instrument
