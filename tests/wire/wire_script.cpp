#include "tests/wire/wire_script.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

/// Cuts one line into words: bare ones, and "quoted" ones with C escapes and an optional *COUNT.
class Words {
  public:
    explicit Words(std::string_view line) : rest_(line) {}

    std::vector<Word> all() {
        std::vector<Word> words;
        while (skip_space(), !rest_.empty() && rest_.front() != '#') {
            words.push_back(rest_.front() == '"' ? quoted() : bare());
        }
        return words;
    }

  private:
    void skip_space() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
    }

    Word bare() {
        const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
        rest_.remove_prefix(word.size());
        return {std::string(word), false};
    }

    Word quoted() {
        Word word{{}, true};
        rest_.remove_prefix(1);
        while (!rest_.empty() && rest_.front() != '"') {
            word.text.push_back(character());
        }
        if (rest_.empty()) throw std::runtime_error("a quoted word without its end");
        rest_.remove_prefix(1);
        if (!rest_.empty() && rest_.front() == '*') {
            rest_.remove_prefix(1);
            const std::string once = word.text;
            const std::size_t count = static_cast<std::size_t>(std::stoul(bare().text));
            word.text.clear();
            for (std::size_t i = 0; i < count; ++i) {
                word.text += once;
            }
        }
        return word;
    }

    char character() {
        const char c = take();
        if (c != '\\') return c;
        switch (const char escaped = take()) {
            case 'n': return '\n';
            case 't': return '\t';
            case '0': return '\0';
            case 'x': {
                const std::string digits{take(), take()};
                return static_cast<char>(std::stoi(digits, nullptr, 16));
            }
            default: return escaped;
        }
    }

    char take() {
        if (rest_.empty()) throw std::runtime_error("a quoted word without its end");
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    std::string_view rest_;
};

/// Lines that say something about the script as a whole; false for a step.
bool read_directive(const std::vector<Word>& words, WireScript& script) {
    const std::string& name = words.front().text;
    if (name == "shows") {
        for (std::size_t i = 1; i < words.size(); ++i) {
            script.shows.push_back(words[i].text);
        }
    } else if (name == "servers") {
        for (std::size_t i = 1; i < words.size(); ++i) {
            script.servers.push_back(std::stoi(words[i].text));
        }
    } else if (name == "in-clear") {
        script.in_clear = true;
    } else if (name == "blinds") {
        script.blinds = true;
    } else {
        return false;
    }
    return true;
}

}  // namespace

const std::string& Step::at(std::size_t place) const {
    if (place >= words.size()) throw std::runtime_error(name() + " lacks an argument");
    return words[place].text;
}

long Step::number(std::size_t place) const {
    const std::string& text = at(place);
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw std::runtime_error("'" + text + "' is no number");
    }
    return value;
}

WireScript read_script(const std::filesystem::path& file) {
    WireScript script;
    script.name = file.stem().string();
    std::istringstream lines(read_file(file));
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        try {
            std::vector<Word> words = Words(line).all();
            if (!words.empty() && !read_directive(words, script)) {
                script.steps.push_back({number, std::move(words)});
            }
        } catch (const std::exception& error) {
            throw std::runtime_error(file.string() + ":" + std::to_string(number) + ": " +
                                     error.what());
        }
    }
    if (script.steps.empty() || script.shows.empty()) {
        throw std::runtime_error(file.string() + ": a script has steps and says what it shows");
    }
    return script;
}

std::vector<WireScript> read_scripts(const std::filesystem::path& folder) {
    std::vector<WireScript> scripts;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".wire") scripts.push_back(read_script(entry.path()));
    }
    std::sort(scripts.begin(), scripts.end(),
              [](const WireScript& a, const WireScript& b) { return a.name < b.name; });
    return scripts;
}

}  // namespace isotap::test
