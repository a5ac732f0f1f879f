#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "isotap/history/events.hpp"

#include "analysis/history/recording/log_encoder.hpp"

namespace isotap::history::recording {

/// Texts by number. Those that were given out stay valid until the next row of `log`.
class TextSource {
  public:
    TextSource() = default;
    TextSource(const TextSource&) = delete;
    TextSource& operator=(const TextSource&) = delete;
    virtual ~TextSource() = default;

    /// Empty for a number that is not there.
    virtual std::string_view text(TextId id) = 0;
};

struct LogFault {
    std::size_t byte = 0;
    const char* expected = nullptr;  ///< null: none
};

/// Tells the events of one row of `log` to `sink`. Whatever bytes stand there, it stops at the
/// first one that the format does not allow, and says what it expected.
LogFault decode_log(std::string_view entries, TransactionId transaction, TextSource& texts,
                    EventSink& sink);

}  // namespace isotap::history::recording
