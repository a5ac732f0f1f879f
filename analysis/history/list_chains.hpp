#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/history/form_reader.hpp"
#include "analysis/history/history.hpp"

namespace isotap::history {

/// Reads lists so that a list which merely repeats the beginning of an earlier one of its key costs
/// a memory comparison and no memory. In a history of appends that is nearly all of them.
class ListChains {
  public:
    explicit ListChains(History& history) noexcept : history_(history) {}

    /// Reads the list that comes next. False: `forms` has failed.
    bool read(KeyId key, FormReader& forms, ListPrefix& into);

  private:
    /// The longest list of a key. `text` spells its first `ends.size()` elements.
    struct Longest {
        std::uint32_t chain = 0;
        bool exists = false;
        std::string text;
        std::vector<std::uint32_t> ends;      ///< where each element ends in `text`
        std::vector<std::uint32_t> diverged;  ///< chains that contradict this one
    };

    bool repeat(const Longest& longest, std::string_view body, ListPrefix& into) const;
    bool extend(Longest& longest, std::string_view body, ListPrefix& into);
    bool compare(Longest& longest, FormReader& forms, ListPrefix& into);
    std::uint32_t new_chain(std::vector<Value> elements);

    History& history_;
    std::vector<Longest> by_key_;
    std::vector<Value> fresh_;  ///< what `extend` has read so far
    std::vector<std::uint32_t> fresh_ends_;
};

/// The next form as a value of the history; false: `forms` has failed.
bool read_value(FormReader& forms, Atoms& atoms, Value& into);

}  // namespace isotap::history
