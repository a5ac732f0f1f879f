#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <vector>

#include "protocol/postgres/instrument/names_in_use.hpp"
#include "protocol/postgres/instrument/planned_text.hpp"
#include "protocol/postgres/reply.hpp"
#include "protocol/sql/lexer_state.hpp"

namespace isotap::postgres::instrument {

/// A request that was sent and is not answered, with all that its answer will need.
struct Asked {
    Reply request{};
    std::uint64_t unit = 0;  ///< grows with each Sync: an error ends the rest of a unit
    std::vector<PlannedStatement> statements;  ///< of a Query, or of a Parse
    std::size_t answered = 0;                  ///< of them
    sql::LexerState lexing;
    std::shared_ptr<const Prepared> meaning;  ///< of the name that is described or executed, made
    /// What the request does to the names.
    enum class Names : std::uint8_t { none, statements, portals } names = Names::none;
    std::string name;
    std::shared_ptr<const Prepared> named;  ///< what `name` stands for then
    NamesInUse::Change change;

    void clear() noexcept {
        statements.clear();
        answered = 0;
        meaning.reset();
        names = Names::none;
        name.clear();
        named.reset();
        change = {};
    }
};

/// Those requests, oldest first, in slots that are used again. Not thread-safe.
class AskedQueue {
  public:
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] Asked& operator[](std::size_t i) noexcept {
        assert(i < size_);
        return slots_[(first_ + i) % slots_.size()];
    }
    [[nodiscard]] const Asked& front() const noexcept {
        assert(size_ > 0);
        return slots_[first_];
    }
    [[nodiscard]] Asked& front() noexcept { return (*this)[0]; }

    /// The new one takes the contents of `asked`, which gets a slot that is empty.
    Asked& push(Asked& asked) {
        if (size_ == slots_.size()) {
            grow();
        }
        ++size_;
        Asked& slot = (*this)[size_ - 1];
        std::swap(slot, asked);
        asked.clear();
        return slot;
    }

    void pop() noexcept {
        front().clear();
        first_ = (first_ + 1) % slots_.size();
        --size_;
    }

  private:
    void grow() {
        std::vector<Asked> more(slots_.empty() ? 4 : slots_.size() * 2);
        for (std::size_t i = 0; i < size_; ++i) {
            more[i] = std::move((*this)[i]);
        }
        slots_ = std::move(more);
        first_ = 0;
    }

    std::vector<Asked> slots_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

}  // namespace isotap::postgres::instrument
