#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "isotap/history/events.hpp"

namespace isotap::history::recording {

/// What is known at a moment and not over yet: what the next part of a recording must say again,
/// so that it can be read alone. Each with the place in the stream where it was said first.
struct OpenThings {
    struct Name {
        NameId id{};
        std::string text;
    };
    struct Session {
        std::uint64_t seq = 0;
        Time at{};
        Dialect dialect = Dialect::unknown;
        std::string user;
        std::string database;
        std::string application;
    };
    struct Transaction {
        std::uint64_t seq = 0;
        SessionId session{};
        Time at{};
        bool implicit = false;
        TransactionLevel level;
    };

    std::uint64_t seq = 0;  ///< events so far
    std::vector<Name> names;
    std::map<SessionId, Session> sessions;
    std::unordered_map<std::uint64_t, Transaction> transactions;
};

}  // namespace isotap::history::recording
