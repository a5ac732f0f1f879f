#include "protocol/mysql/instrument/writer_list.hpp"

#include <charconv>
#include <limits>

namespace isotap::mysql::instrument {
namespace {

/// Takes a number off the front of `text`.
bool take_number(std::string_view& text, std::uint64_t& number) noexcept {
    const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) {
        return false;
    }
    text.remove_prefix(static_cast<std::size_t>(last - text.data()));
    return true;
}

bool take(std::string_view& text, char letter) noexcept {
    if (text.empty() || text.front() != letter) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

bool take_writer(std::string_view& text, history::Version& writer) noexcept {
    std::uint64_t transaction = 0;
    std::uint64_t statement = 0;
    if (!take(text, 'T') || !take_number(text, transaction)) {
        return false;
    }
    if (transaction == 0) {
        writer = history::Version::initial();
        return true;
    }
    if (!take(text, '.') || !take_number(text, statement) || statement == 0 ||
        statement > std::numeric_limits<std::uint32_t>::max()) {
        return false;
    }
    writer = history::Version::written_by(
        {history::TransactionId{transaction}, static_cast<std::uint32_t>(statement)});
    return true;
}

}  // namespace

bool read_writer_list(std::string_view text, WriterList& list) {
    list.trimmed = 0;
    list.writers.clear();
    if (text.find('|') != std::string_view::npos &&
        (!take_number(text, list.trimmed) || !take(text, '|'))) {
        return false;
    }
    do {
        history::Version writer;
        if (!take_writer(text, writer)) {
            return false;
        }
        if (list.writers.empty() || list.writers.back() != writer) {
            list.writers.push_back(writer);  // one statement may write a row more than once
        }
    } while (take(text, ','));
    return text.empty();
}

}  // namespace isotap::mysql::instrument
