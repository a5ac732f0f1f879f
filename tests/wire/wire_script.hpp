#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace isotap::test {

/// One word of a line: as written, and whether it stood in quotes.
struct Word {
    std::string text;
    bool quoted = false;
};

/// One line of a script: what to do, and its arguments.
struct Step {
    int line = 0;
    std::vector<Word> words;

    [[nodiscard]] const std::string& name() const { return words.front().text; }
    /// The argument at that place (1 is the first); throws when there is none.
    [[nodiscard]] const std::string& at(std::size_t place) const;
    /// The number at that place; throws when it is none.
    [[nodiscard]] long number(std::size_t place) const;
};

/// A conversation as data, read from a text file. tests/wire/README.md has the grammar.
struct WireScript {
    std::string name;                ///< of the file, without folder and ending
    std::vector<std::string> shows;  ///< ids of docs/TRANSPARENCY.md
    std::vector<int> servers;        ///< versions that can hold it; all of them when empty
    bool in_clear = false;           ///< about what comes before TLS: not to be held inside of it
    bool blinds = false;             ///< breaks the protocol: no decoder can follow it to the end
    std::vector<Step> steps;
};

inline void PrintTo(const WireScript& script, std::ostream* out) {
    *out << script.name;
}

/// Throws std::runtime_error, with file and line, on what it cannot read.
WireScript read_script(const std::filesystem::path& file);

/// Every script of a folder, by name.
std::vector<WireScript> read_scripts(const std::filesystem::path& folder);

}  // namespace isotap::test
