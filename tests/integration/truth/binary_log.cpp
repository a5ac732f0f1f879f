#include "tests/integration/truth/binary_log.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/length_encoded.hpp"

namespace isotap::test {
namespace fs = std::filesystem;
namespace {

using mysql::length_encoded_number;

/// The events that matter here; the first number of a pair is MariaDB's, the second MySQL's.
namespace event {
constexpr std::uint8_t query = 2;
constexpr std::uint8_t commit = 16;
constexpr std::uint8_t table = 19;
constexpr std::uint8_t insert[] = {23, 30};
constexpr std::uint8_t update[] = {24, 31};
constexpr std::uint8_t remove[] = {25, 32};
constexpr std::uint8_t partial_update = 39;
constexpr std::uint8_t packed[] = {40, 166, 167, 168, 169, 170, 171};
}  // namespace event

constexpr std::size_t header_size = 19;

[[noreturn]] void cannot_read(const std::string& what) {
    throw std::runtime_error("the binary log has " + what);
}

template <std::size_t N>
bool is_one_of(std::uint8_t type, const std::uint8_t (&all)[N]) {
    return std::find(std::begin(all), std::end(all), type) != std::end(all);
}

std::uint64_t number(ByteReader& reader, int width) {
    std::uint64_t value = 0;
    for (int i = 0; i < width; ++i) {
        value |= static_cast<std::uint64_t>(reader.u8()) << (8 * i);
    }
    return value;
}

enum class ColumnType : std::uint8_t { int32 = 3, int64 = 8, varchar = 15, string = 254 };

/// What the rows that follow are made of.
struct TableMap {
    struct Column {
        ColumnType type{};
        std::uint32_t length = 0;  ///< of a text, in bytes at most
    };

    std::string name;
    std::vector<Column> columns;
};

TableMap read_table_map(ByteReader& reader) {
    TableMap table;
    number(reader, 2);  // flags
    table.name = reader.text(reader.u8());
    reader.u8();
    table.name.append(".").append(reader.text(reader.u8()));
    reader.u8();
    table.columns.resize(length_encoded_number(reader));
    for (TableMap::Column& column : table.columns) {
        column.type = static_cast<ColumnType>(reader.u8());
    }
    length_encoded_number(reader);  // of what follows
    for (TableMap::Column& column : table.columns) {
        if (column.type == ColumnType::varchar) {
            column.length = reader.le16();
        } else if (column.type == ColumnType::string) {
            // The type itself, whose fifth and sixth bit are those of a length above 255.
            const std::uint32_t type = reader.u8();
            column.length = reader.u8() | (((type & 0x30U) ^ 0x30U) << 4U);
        } else if (column.type != ColumnType::int32 && column.type != ColumnType::int64) {
            cannot_read("a column of type " + std::to_string(static_cast<int>(column.type)));
        }
    }
    return table;
}

std::string value(const TableMap::Column& column, ByteReader& reader) {
    switch (column.type) {
        case ColumnType::int32: return std::to_string(static_cast<std::int32_t>(reader.le32()));
        case ColumnType::int64: return std::to_string(static_cast<std::int64_t>(reader.le64()));
        default: return std::string(reader.text(column.length < 256 ? reader.u8() : reader.le16()));
    }
}

RowChange::Columns image(const TableMap& table, ByteReader& reader) {
    const Bytes nulls = reader.take((table.columns.size() + 7) / 8);
    RowChange::Columns columns(table.columns.size());
    for (std::size_t i = 0; i < columns.size() && reader.ok(); ++i) {
        if ((nulls[i / 8] >> (i % 8) & 1U) == 0) {
            columns[i] = value(table.columns[i], reader);
        }
    }
    return columns;
}

/// Of an event that is a statement.
std::string_view text_of(ByteReader& reader) {
    number(reader, 8);  // by whom, and how long it took
    const std::size_t schema = reader.u8();
    reader.le16();  // its error
    reader.take(reader.le16());
    reader.take(schema + 1);
    return reader.text(reader.rest().size());
}

class Decoder {
  public:
    explicit Decoder(const std::function<void(const CommittedTransaction&)>& take) : take_(take) {}

    void decode(std::uint8_t type, ByteReader reader) {
        if (type == event::table) {
            const std::uint64_t id = number(reader, 6);
            tables_[id] = read_table_map(reader);
        } else if (is_one_of(type, event::insert)) {
            rows(RowChange::Kind::insert, type == event::insert[1], reader);
        } else if (is_one_of(type, event::update)) {
            rows(RowChange::Kind::update, type == event::update[1], reader);
        } else if (is_one_of(type, event::remove)) {
            rows(RowChange::Kind::remove, type == event::remove[1], reader);
        } else if (type == event::commit) {
            open_.number = reader.le64();
            if (!open_.changes.empty()) take_(open_);
            open_ = {};
        } else if (type == event::query) {
            // ROLLBACK TO takes what it undoes out of the log, and leaves SAVEPOINT there.
            const std::string_view text = text_of(reader);
            if (!open_.changes.empty() && !text.starts_with("SAVEPOINT")) {
                cannot_read("a text amid rows: " + std::string(text));
            }
        } else if (type == event::partial_update || is_one_of(type, event::packed)) {
            cannot_read("rows in a form that was not asked for");
        }
        if (!reader.ok()) {
            cannot_read("an event that is too short");
        }
    }

  private:
    void rows(RowChange::Kind kind, bool extra, ByteReader& reader) {
        const TableMap& table = tables_.at(number(reader, 6));
        reader.le16();  // flags
        if (extra) {
            reader.take(reader.le16() - 2U);
        }
        const std::size_t columns = length_encoded_number(reader);
        const std::size_t images = kind == RowChange::Kind::update ? 2 : 1;
        for (std::size_t i = 0; i < columns * images; i += columns) {
            const Bytes present = reader.take((columns + 7) / 8);
            for (std::size_t k = 0; k < columns && reader.ok(); ++k) {
                if ((present[k / 8] >> (k % 8) & 1U) == 0) cannot_read("an image that is not full");
            }
        }
        while (!reader.at_end() && reader.ok()) {
            RowChange& change = open_.changes.emplace_back();
            change.table = table.name;
            change.kind = kind;
            if (kind != RowChange::Kind::insert) change.before = image(table, reader);
            if (kind != RowChange::Kind::remove) change.after = image(table, reader);
        }
    }

    const std::function<void(const CommittedTransaction&)>& take_;
    std::map<std::uint64_t, TableMap> tables_;
    CommittedTransaction open_;
};

void read_file(const fs::path& path, Decoder& decoder) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes(4, '\0');
    file.read(bytes.data(), 4);
    if (bytes !=
        "\xfe"
        "bin") {
        cannot_read("a file that is none: " + path.string());
    }
    for (;;) {
        bytes.resize(header_size);
        if (!file.read(bytes.data(), header_size)) {
            return;
        }
        ByteReader header(as_bytes(bytes));
        header.le32();  // when
        const std::uint8_t type = header.u8();
        header.le32();  // by which server
        const std::size_t size = header.le32() - header_size;
        bytes.resize(size);
        if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) {
            cannot_read("an event that is cut off");
        }
        decoder.decode(type, ByteReader(as_bytes(bytes)));
    }
}

std::vector<fs::path> files(const fs::path& folder) {
    std::vector<fs::path> all;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().stem() == "truth" && entry.path().extension() != ".index") {
            all.push_back(entry.path());
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace

std::vector<std::string> BinaryLog::settings() {
    return {"log-bin=truth",         "server-id=1",          "binlog-format=ROW",
            "binlog-row-image=FULL", "binlog-checksum=NONE", "sync-binlog=0"};
}

BinaryLog::BinaryLog(const MysqlServer& server) : folder_(server.folder() / "data") {
    server.sql("flush binary logs");
    seen_ = files(folder_);
    seen_.pop_back();
}

void BinaryLog::read(const std::function<void(const CommittedTransaction&)>& take) const {
    Decoder decoder(take);
    for (const fs::path& file : files(folder_)) {
        if (std::find(seen_.begin(), seen_.end(), file) == seen_.end()) {
            read_file(file, decoder);
        }
    }
}

}  // namespace isotap::test
