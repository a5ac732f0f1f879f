// Every decoder on any bytes: it says yes or no, and its views stay inside.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "protocol/mysql/messages/error_packet.hpp"
#include "protocol/mysql/messages/execute_request.hpp"
#include "protocol/mysql/messages/greeting.hpp"
#include "protocol/mysql/messages/handshake_response.hpp"
#include "protocol/mysql/messages/ok_packet.hpp"
#include "protocol/mysql/messages/prepare_ok.hpp"
#include "protocol/mysql/messages/query_request.hpp"
#include "protocol/mysql/messages/session_track.hpp"
#include "protocol/mysql/server_version.hpp"

namespace {

using isotap::Bytes;
using isotap::mysql::Capabilities;
using isotap::mysql::decode_eof;
using isotap::mysql::decode_error;
using isotap::mysql::decode_execute;
using isotap::mysql::decode_greeting;
using isotap::mysql::decode_handshake_response;
using isotap::mysql::decode_ok;
using isotap::mysql::decode_prepare_ok;
using isotap::mysql::decode_query_text;
using isotap::mysql::encode_error;
using isotap::mysql::execute_of;
using isotap::mysql::execute_with;
using isotap::mysql::greeting_capabilities_offset;
using isotap::mysql::read_server_version;
using isotap::mysql::SessionTrackReader;
using isotap::mysql::Tracked;

void expect_inside(Bytes whole, std::string_view part) {
    const auto* const from = reinterpret_cast<const std::uint8_t*>(part.data());
    const bool inside = from >= whole.data() && from + part.size() <= whole.data() + whole.size();
    if (!part.empty() && !inside) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 8) {
        return 0;
    }
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) {
        bits = bits << 8 | data[i];
    }
    const Capabilities capabilities(bits);
    const Bytes payload(data + 8, size - 8);
    if (const auto greeting = decode_greeting(payload)) {
        expect_inside(payload, greeting->plugin);
        const auto offset = greeting_capabilities_offset(payload);
        if (!offset || *offset + 2 > payload.size()) std::abort();
        read_server_version(greeting->server_version);
    }
    if (const auto response = decode_handshake_response(payload, capabilities)) {
        expect_inside(payload, response->user);
        expect_inside(payload, response->database);
        expect_inside(payload, response->program);
    }
    if (const auto ok = decode_ok(payload, capabilities)) {
        SessionTrackReader reader(ok->session_state);
        for (Tracked tracked; reader.next(tracked);) {
            expect_inside(payload, tracked.name);
            expect_inside(payload, tracked.value);
        }
    }
    if (const auto error = decode_error(payload)) {
        expect_inside(payload, error->message);
        std::vector<std::uint8_t> written;
        encode_error(*error, 0, written);
        const auto again = decode_error(Bytes(written).subspan(4));
        if (!again || again->number != error->number) std::abort();
    }
    decode_eof(payload);
    decode_prepare_ok(payload);
    if (const auto request = decode_execute(payload, data[0], capabilities)) {
        expect_inside(payload, isotap::as_text(request->types));
        constexpr std::uint8_t types[] = {3, 0};
        const auto made = execute_of(7, payload, *request, types);
        if (made.size() < payload.size()) std::abort();
        const std::array<std::size_t, 2> chosen{data[1], 0};
        if (const auto other = execute_with(*request, request->types, chosen)) {
            if (!decode_execute(*other, chosen.size(), capabilities)) std::abort();
        }
    }
    if (const auto text = decode_query_text(payload, capabilities)) {
        expect_inside(payload, *text);
    }
    return 0;
}
