#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "isotap/base/bytes.hpp"

#include "protocol/postgres/instrument/copy_lines.hpp"
#include "protocol/postgres/instrument/copy_tuples.hpp"

namespace isotap::postgres::instrument {

/// The rows of one COPY to the client, without the columns that were added to them. A row may be
/// cut over several CopyData, and one of these may hold several. Not thread-safe.
class CopyRows {
  public:
    CopyRows(const CopyFormat& format, std::size_t kept, std::size_t added)
        : rows_(CopyTuples(kept, added)) {
        if (format.kind != CopyFormat::Kind::binary) {
            rows_.emplace<CopyLines>(format, kept, added);
        }
    }

    /// The body of the next CopyData; it must stay until `next` has said that it is drained.
    void feed(Bytes body) {
        parts_.clear();
        std::visit([body](auto& rows) { rows.feed(body); }, rows_);
    }
    CopyStep next() {
        return std::visit([this](auto& rows) { return rows.next(parts_); }, rows_);
    }

    /// Of the row that is through: what was added to it. Nothing where that was too long.
    [[nodiscard]] std::optional<std::span<const Field>> added() {
        CopiedValues& values =
            std::visit([](auto& rows) -> CopiedValues& { return rows.values(); }, rows_);
        return values.too_long() ? std::nullopt
                                 : std::optional(std::span<const Field>(values.fields()));
    }

    /// Of the body: what goes to the client, in order; views of it and of this.
    [[nodiscard]] const std::vector<Bytes>& parts() const noexcept { return parts_; }
    [[nodiscard]] std::size_t size() const noexcept {
        std::size_t size = 0;
        for (const Bytes part : parts_) {
            size += part.size();
        }
        return size;
    }

    /// The client's bytes that wait for those behind them: two at most.
    [[nodiscard]] Bytes held() const {
        return std::visit([](const auto& rows) { return rows.held(); }, rows_);
    }

  private:
    std::variant<CopyLines, CopyTuples> rows_;
    std::vector<Bytes> parts_;
};

}  // namespace isotap::postgres::instrument
