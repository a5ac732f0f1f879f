// Rows of COPY, without the columns that were added to them. Either the input is a table, which is
// written as a server writes it, with these columns and without, and cut anywhere: what is left is
// what the server would have written without, and what was taken out is what was put in. Or it is
// the stream itself: nothing is read beyond its end, and nothing is invented.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "protocol/postgres/instrument/copy_rows.hpp"

namespace {

using isotap::Bytes;
using isotap::postgres::instrument::CopyFormat;
using isotap::postgres::instrument::CopyRows;
using isotap::postgres::instrument::CopyStep;
using isotap::postgres::instrument::Field;
using Kind = CopyFormat::Kind;
using Value = std::optional<std::string>;
using Row = std::vector<Value>;

void demand(bool holds) {
    if (!holds) {
        std::abort();
    }
}

class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}
    [[nodiscard]] bool empty() const { return rest_.empty(); }
    std::uint8_t byte() {
        const std::uint8_t taken = rest_.empty() ? 0 : rest_.front();
        rest_ = rest_.subspan(rest_.empty() ? 0 : 1);
        return taken;
    }
    std::string text() {
        const std::size_t size = std::min<std::size_t>(byte() % 8U, rest_.size());
        std::string taken(isotap::as_text(rest_.first(size)));
        rest_ = rest_.subspan(size);
        return taken;
    }
    [[nodiscard]] Bytes rest() const { return rest_; }

  private:
    Bytes rest_;
};

/// As PostgreSQL writes a value.
std::string in_text(const Value& value, const CopyFormat& format) {
    if (!value) {
        return format.null;
    }
    static const std::string hard = "\b\f\n\r\t\v";
    static const std::string easy = "bfnrtv";
    std::string written;
    for (const char c : *value) {
        const std::size_t known = hard.find(c);
        if (known != std::string::npos) {
            written += {'\\', easy[known]};
        } else if (c == '\\' || c == format.delimiter) {
            written += {'\\', c};
        } else {
            written += c;
        }
    }
    return written;
}

std::string in_csv(const Value& value, const CopyFormat& format, bool alone) {
    if (!value) {
        return format.null;
    }
    const std::string special = {'\n', '\r', format.delimiter, format.quote};
    const bool quotes = value->find_first_of(special) != std::string::npos ||
                        *value == format.null || (alone && *value == "\\.");
    if (!quotes) {
        return *value;
    }
    std::string written(1, format.quote);
    for (const char c : *value) {
        written.append(c == format.quote || c == format.escape ? 1 : 0, format.escape);
        written += c;
    }
    return written + format.quote;
}

void append_be(std::string& to, std::size_t value, int bytes) {
    for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
        to += static_cast<char>(value >> static_cast<unsigned>(shift));
    }
}

std::string written(const std::vector<Row>& rows, std::size_t columns, const CopyFormat& format) {
    std::string all;
    if (format.kind == Kind::binary) {
        all.assign("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
    }
    for (const Row& row : rows) {
        if (format.kind == Kind::binary) {
            append_be(all, columns, 2);
        }
        for (std::size_t i = 0; i < columns; ++i) {
            const Value& value = row[i];
            if (format.kind == Kind::binary) {
                append_be(all, value ? value->size() : 0xffffffffU, 4);
                all += value.value_or("");
                continue;
            }
            all.append(i > 0 ? 1 : 0, format.delimiter);
            all += format.kind == Kind::csv ? in_csv(value, format, columns == 1)
                                            : in_text(value, format);
        }
        all.append(format.kind == Kind::binary ? 0 : 1, '\n');
    }
    if (format.kind == Kind::binary) {
        append_be(all, 0xffff, 2);
    }
    return all;
}

/// One that a server takes, and that the planner lets through.
CopyFormat format_of(Input& input) {
    CopyFormat format;
    format.kind = static_cast<Kind>(input.byte() % 3U);
    format.header = input.byte() % 4U == 0 && format.kind != Kind::binary;
    static const std::string marks = "\t,;|\"'\\.#aex1";
    const auto mark = [&input] { return marks[input.byte() % marks.size()]; };
    if (format.kind == Kind::text) {
        const char delimiter = mark();
        format.delimiter =
            std::string("\\.aex1").find(delimiter) == std::string::npos ? delimiter : '\t';
    } else if (format.kind == Kind::csv) {
        format.delimiter = mark();
        format.quote = mark();
        format.escape = mark();
        format.quote = format.quote == format.delimiter ? '"' : format.quote;
        format.delimiter = format.quote == format.delimiter ? ',' : format.delimiter;
        format.null = input.text();
        std::erase_if(format.null, [&format](char c) {
            return c == '\n' || c == '\r' || c == format.delimiter || c == format.quote;
        });
    }
    return format;
}

void play_table(Input& input) {
    const CopyFormat format = format_of(input);
    const std::size_t kept = input.byte() % 4U;
    const std::size_t added = input.byte() % 3U + 1U;
    const std::size_t slice = input.byte() % 19U + 1U;
    std::vector<Row> rows;
    constexpr std::size_t most_rows = 20;
    while (!input.empty() && rows.size() < most_rows) {
        Row row;
        for (std::size_t i = 0; i < kept + added; ++i) {
            row.push_back(input.byte() % 5U == 0 ? Value() : Value(input.text()));
        }
        rows.push_back(std::move(row));
    }
    const std::string server = written(rows, kept + added, format);
    CopyRows reader(format, kept, added);
    std::string client;
    std::size_t row = format.header ? 1 : 0;
    for (std::size_t at = 0; at < server.size(); at += slice) {
        const std::string part = server.substr(at, slice);
        const std::vector<std::uint8_t> body(part.begin(), part.end());
        reader.feed(body);
        CopyStep step = reader.next();
        for (; step == CopyStep::row; step = reader.next(), ++row) {
            const auto values = reader.added();
            demand(values && values->size() == added && row < rows.size());
            for (std::size_t i = 0; i < added; ++i) {
                const Value& value = rows[row][kept + i];
                demand((*values)[i].null == !value && (*values)[i].text == value.value_or(""));
            }
        }
        demand(step == CopyStep::drained);
        for (const Bytes one : reader.parts()) {
            client += isotap::as_text(one);
        }
    }
    demand(client == written(rows, kept, format));
    demand(row == std::max<std::size_t>(rows.size(), format.header ? 1 : 0));
}

void play_stream(Input& input) {
    const CopyFormat format = format_of(input);
    const std::size_t kept = input.byte() % 4U;
    const std::size_t added = input.byte() % 3U + 1U;
    const std::size_t slice = input.byte() % 19U + 1U;
    CopyRows reader(format, kept, added);
    const Bytes all = input.rest();
    std::size_t rows = 0;
    for (std::size_t at = 0; at < all.size(); at += slice) {
        const Bytes part = all.subspan(at, std::min(slice, all.size() - at));
        const std::vector<std::uint8_t> body(part.begin(), part.end());
        const std::size_t held = reader.held().size();
        demand(held <= 2);
        reader.feed(body);
        CopyStep step = reader.next();
        for (; step == CopyStep::row; step = reader.next()) {
            ++rows;
            demand(reader.added() && reader.added()->size() == added);
        }
        if (step == CopyStep::strange) {
            return;
        }
        // Quotes around the end of data are all that may come to it.
        constexpr std::size_t quotes = 3;
        demand(reader.size() <= held + body.size() + quotes * (body.size() + 1));
    }
    demand(rows <= all.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    if (input.byte() % 4U != 0) {
        play_table(input);
    } else {
        play_stream(input);
    }
    return 0;
}
