#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isotap/history/events.hpp"

namespace isotap::proxy {

/// How a statement chose the rows of one table, so that it got every row that met the condition.
struct Condition {
    enum class Use : std::uint8_t { read, locking_read, write };

    Use use = Use::read;
    std::string table;
    std::string text;   ///< empty: all rows
    std::string alias;  ///< what the text calls the table
};

/// The condition of a statement that keeps no matching row back; nothing where there is none, or
/// where it may say something else in another session or at another time.
std::optional<Condition> condition_of(std::string_view text, history::Dialect dialect);

/// True for a SET after which a condition may say something else than in a new session.
bool changes_conditions(std::string_view text, history::Dialect dialect);

}  // namespace isotap::proxy
