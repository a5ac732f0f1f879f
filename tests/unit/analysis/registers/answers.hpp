#pragma once

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "analysis/history/formats.hpp"
#include "analysis/registers/register_checker.hpp"

namespace isotap::test {

/// A history in dbcop's notation, or in any other, ready to be checked.
inline history::ReadHistory registers(std::string_view text,
                                      std::optional<history::Format> format = {}) {
    auto read = history::read_history_text(text, "text", format);
    EXPECT_FALSE(read.has_error()) << read.error().message();
    return read ? std::move(*read) : history::ReadHistory{};
}

/// `P` holds, `F` violated, `?` unknown.
inline char answer(const history::ReadHistory& read, analysis::Model model) {
    using Kind = analysis::SearchAnswer::Kind;
    const analysis::RegisterChecker checker(read.history, read.writers);
    switch (checker.check(model).kind) {
        case Kind::holds: return 'P';
        case Kind::violated: return 'F';
        case Kind::unknown: return '?';
    }
    return '?';
}

/// Read committed, read atomic, causal, prefix, snapshot isolation and serializable, the last three
/// with the order of sessions.
inline std::string answers(const history::ReadHistory& read) {
    std::string text;
    for (const analysis::Model model :
         {analysis::Model::read_committed, analysis::Model::read_atomic, analysis::Model::causal,
          analysis::Model::prefix, analysis::Model::strong_session_snapshot_isolation,
          analysis::Model::strong_session_serializable}) {
        text += answer(read, model);
    }
    return text;
}

}  // namespace isotap::test
