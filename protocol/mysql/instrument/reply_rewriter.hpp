#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "protocol/mysql/capabilities.hpp"
#include "protocol/mysql/instrument/access_recorder.hpp"
#include "protocol/mysql/instrument/result_row.hpp"
#include "protocol/mysql/reply_reader.hpp"
#include "protocol/sql/plan.hpp"

namespace isotap::mysql::instrument {

/// A digest of what a client is told of the columns of a result.
[[nodiscard]] inline std::size_t described_with(std::size_t description,
                                                Bytes definition) noexcept {
    return description * 31 + std::hash<std::string_view>{}(as_text(definition));
}

/// Makes of the server's reply to a rewritten command the one that the client expects: without the
/// added columns, or an OK in place of rows; numbered anew. What the added columns say goes to the
/// recorder. One reply at a time. Not thread-safe.
class ReplyRewriter {
  public:
    enum class Form : std::uint8_t { text, binary, prepare };

    /// What one packet came to.
    enum class Verdict : std::uint8_t {
        good,
        doubtful,  ///< the client is served, but the added values are not what was planned
        broken,    ///< the client cannot be served any more
    };

    ReplyRewriter(Capabilities in_force, AccessRecorder& recorder) noexcept
        : in_force_(in_force), recorder_(recorder) {}

    /// `columns` are those of the result as the server gives it, as far as they are known before it
    /// comes. `plan` must live until the reply is complete.
    void begin(const sql::Plan& plan, Form form, std::uint8_t sequence,
               std::vector<Column> columns = {});

    /// Each result of the reply says that another one follows. Until the next `begin`.
    void promise_more() noexcept { more_promised_ = true; }

    /// Takes a packet, whole, which was read in `stage` and means `step`. What is due to the client
    /// is appended to `out`.
    Verdict take(ReplyReader::Stage stage, const ReplyStep& step, Bytes payload,
                 std::vector<std::uint8_t>& out);

    /// The columns of the result, the added ones as well.
    [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }
    /// Of those that the client was told of.
    [[nodiscard]] std::size_t description() const noexcept { return description_; }
    [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
    /// The number of the next packet for the client becomes this.
    void follow(std::uint8_t sequence) noexcept { sequence_ = sequence; }
    /// The number of the next packet for the client.
    [[nodiscard]] std::uint8_t sequence() const noexcept { return sequence_; }
    /// The client has got something of the reply.
    [[nodiscard]] bool has_spoken() const noexcept { return has_spoken_; }
    void write(Bytes payload, std::vector<std::uint8_t>& out);

  private:
    [[nodiscard]] Verdict take_packet(ReplyReader::Stage stage, const ReplyStep& step,
                                      Bytes payload, std::vector<std::uint8_t>& out);
    [[nodiscard]] Verdict take_head(const ReplyStep& step, Bytes payload,
                                    std::vector<std::uint8_t>& out);
    [[nodiscard]] Verdict take_definition(Bytes payload, std::vector<std::uint8_t>& out);
    [[nodiscard]] Verdict take_row(Bytes payload, std::vector<std::uint8_t>& out);
    [[nodiscard]] Verdict take_prepare_head(const ReplyStep& step, Bytes payload,
                                            std::vector<std::uint8_t>& out);
    void note_insert_id();
    void write_completion(const ReplyStep& step, Bytes payload, std::vector<std::uint8_t>& out);
    void pass(Bytes payload, std::vector<std::uint8_t>& out);

    [[nodiscard]] bool rebuilds() const noexcept {
        return plan_->reply == sql::ReplyChange::rebuild;
    }

    Capabilities in_force_;
    AccessRecorder& recorder_;
    const sql::Plan* plan_ = nullptr;
    Form form_{};
    std::uint8_t sequence_ = 1;
    bool has_spoken_ = false;
    bool more_promised_ = false;
    std::vector<std::uint8_t> promise_;  ///< a packet that was changed to say so
    bool first_result_ = true;           ///< no further one is ours
    std::size_t count_ = 0;              ///< of the server's columns
    std::size_t added_ = 0;              ///< how many of them are ours
    std::size_t definitions_ = 0;
    std::size_t description_ = 0;
    std::vector<Column> columns_;
    std::uint64_t rows_ = 0;
    std::uint64_t insert_id_ = 0;
    RowCutter cutter_;
};

}  // namespace isotap::mysql::instrument
