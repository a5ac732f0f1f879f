#include "tests/integration/truth/logical_decoding.hpp"

#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "isotap/base/byte_reader.hpp"

namespace isotap::test {
namespace {

std::string from_hex(std::string_view hex) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
    }
    return bytes;
}

/// The messages of pgoutput, version 1.
class Decoder {
  public:
    std::vector<CommittedTransaction> committed;

    void take(Bytes message) {
        ByteReader reader(message);
        switch (reader.u8()) {
            case 'B':
                reader.be64();  // where the commit stands
                reader.be64();  // when
                committed.push_back({reader.be32(), {}});
                break;
            case 'R': relation(reader); break;
            case 'I': change(reader, RowChange::Kind::insert); break;
            case 'U': change(reader, RowChange::Kind::update); break;
            case 'D': change(reader, RowChange::Kind::remove); break;
            case 'C':
            case 'O':
            case 'Y': return;
            default: throw std::runtime_error("an unknown message of the decoder");
        }
        if (!reader.ok()) {
            throw std::runtime_error("a message of the decoder is too short");
        }
    }

  private:
    void relation(ByteReader& reader) {
        const std::uint32_t id = reader.be32();
        std::string name(reader.c_string());
        name.append(".").append(reader.c_string());
        tables_[id] = std::move(name);
    }

    void change(ByteReader& reader, RowChange::Kind kind) {
        RowChange& made = committed.back().changes.emplace_back();
        made.kind = kind;
        made.table = tables_.at(reader.be32());
        while (!reader.at_end()) {
            const char which = static_cast<char>(reader.u8());
            if (which != 'O' && which != 'N') {
                throw std::runtime_error("a change without full replica identity");
            }
            (which == 'O' ? made.before : made.after) = columns(reader);
        }
    }

    static RowChange::Columns columns(ByteReader& reader) {
        RowChange::Columns columns(reader.be16());
        for (auto& column : columns) {
            if (reader.u8() == 't') {
                column = std::string(reader.text(reader.be32()));
            }
        }
        return columns;
    }

    std::map<std::uint32_t, std::string> tables_;
};

}  // namespace

LogicalDecoding::LogicalDecoding(PostgresServer& server) : server_(server) {
    server.sql(
        "create publication truth for all tables;"
        "select pg_create_logical_replication_slot('truth', 'pgoutput')");
}

std::vector<CommittedTransaction> LogicalDecoding::read() {
    std::istringstream lines(
        server_.sql("select encode(data, 'hex') from pg_logical_slot_get_binary_changes("
                    "'truth', null, null, 'proto_version', '1', 'publication_names', 'truth')"));
    Decoder decoder;
    for (std::string line; std::getline(lines, line);) {
        const std::string message = from_hex(line);
        decoder.take(as_bytes(message));
    }
    return std::move(decoder.committed);
}

}  // namespace isotap::test
