#pragma once

#include <string>

/// User variables of the MySQL family beside columns in ascii. A variable is of the character set
/// that its session had when it was set, or when a statement was prepared, and the server refuses
/// to mix some of them: so each is converted where it is used.
namespace isotap::sql {

inline std::string in_ascii(const std::string& expression) {
    return "convert(" + expression + " using ascii)";
}

/// An empty text that makes the assignment.
inline std::string unseen(const std::string& assignment) {
    return in_ascii("left(" + assignment + ",0)");
}

}  // namespace isotap::sql
