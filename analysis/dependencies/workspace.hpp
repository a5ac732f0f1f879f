#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isotap/history/events.hpp"

#include "analysis/dependencies/pool.hpp"

namespace isotap::analysis {

/// What a transaction did, kept until its outcome says whether it counts.
class Workspace {
  public:
    struct Access {
        Slot row = no_slot;
        std::uint32_t statement = 0;
        history::AccessKind kind{};
        history::Version before;
        history::Version after;
        bool decides = false;  ///< read by a statement that wrote something
    };
    struct List {
        Slot row = no_slot;
        std::uint32_t statement = 0;
        std::uint64_t trimmed = 0;
        std::size_t first = 0;
        std::size_t count = 0;
    };

    struct Emptied {
        history::NameId table{};
        std::uint32_t statement = 0;
    };

    std::vector<Access> accesses;
    std::vector<List> lists;
    std::vector<history::PredicateId> predicates;
    std::vector<Emptied> emptied;
    std::string last_text;  ///< of the statement that is under way, cut short
    std::uint32_t last_statement = 0;
    Time requested{};  ///< when its end was asked for
    /// It went back to a savepoint by a name that nobody has told of: what holds of it is not
    /// known.
    bool in_doubt = false;

    void add_list(List list, std::span<const history::Version> writers) {
        list.first = writers_.size();
        list.count = writers.size();
        writers_.insert(writers_.end(), writers.begin(), writers.end());
        lists.push_back(list);
    }
    [[nodiscard]] std::span<const history::Version> writers_of(const List& list) const {
        return std::span{writers_}.subspan(list.first, list.count);
    }

    void set_savepoint(std::string_view name, std::uint32_t statement) {
        savepoints_.emplace_back(name, statement);
    }
    void release_savepoint(std::string_view name) {
        if (const std::size_t at = savepoint(name); at < savepoints_.size()) {
            savepoints_.resize(at);
        }
    }
    /// The savepoint itself stays. False: nobody told of it.
    bool roll_back_to(std::string_view name, std::uint32_t statement) {
        const std::size_t at = savepoint(name);
        if (at == savepoints_.size()) {
            return false;
        }
        savepoints_.resize(at + 1);
        undone_.emplace_back(savepoints_[at].second, statement);
        return true;
    }
    /// The savepoint was set before anything that was told.
    void undo_all() {
        savepoints_.clear();
        for (const Access& access : accesses) {
            if (!reads(access) && (undone_.empty() || undone_.back().second != access.statement)) {
                undo(access.statement);
            }
        }
        for (const Emptied& one : emptied) {
            undo(one.statement);
        }
    }
    void undo(std::uint32_t statement) { undone_.emplace_back(statement, statement); }

    /// What a statement read with a lock and wrote something by. The accesses of one statement lie
    /// beside one another.
    void mark_deciding() noexcept;

    [[nodiscard]] bool undid_something() const noexcept { return !undone_.empty(); }
    /// What the statement wrote does not hold, even if the transaction committed.
    [[nodiscard]] bool is_undone(std::uint32_t statement) const noexcept {
        for (const auto& [first, last] : undone_) {
            if (first <= statement && statement <= last) {
                return true;
            }
        }
        return false;
    }

    /// Empty again, with its memory kept.
    void clear() noexcept {
        accesses.clear();
        lists.clear();
        predicates.clear();
        emptied.clear();
        writers_.clear();
        savepoints_.clear();
        undone_.clear();
        last_text.clear();
        last_statement = 0;
        in_doubt = false;
    }

  private:
    [[nodiscard]] std::size_t savepoint(std::string_view name) const noexcept {
        for (std::size_t at = savepoints_.size(); at-- > 0;) {
            if (savepoints_[at].first == name) {
                return at;
            }
        }
        return savepoints_.size();
    }

    static bool reads(const Access& access) noexcept { return history::is_read(access.kind); }

    std::vector<history::Version> writers_;
    std::vector<std::pair<std::string, std::uint32_t>> savepoints_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> undone_;
};

inline void Workspace::mark_deciding() noexcept {
    const auto locks = [](const Access& access) {
        return access.kind == history::AccessKind::locking_read;
    };
    if (std::none_of(accesses.begin(), accesses.end(), locks)) {
        return;
    }
    for (auto first = accesses.begin(); first != accesses.end();) {
        const auto last = std::find_if(first, accesses.end(), [first](const Access& one) {
            return one.statement != first->statement;
        });
        const bool writes = !std::all_of(first, last, reads);
        for (; first != last; ++first) {
            first->decides = writes && locks(*first);
        }
    }
}

}  // namespace isotap::analysis
