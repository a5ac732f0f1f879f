#include "tests/integration/captured_client.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "isotap/base/byte_reader.hpp"
#include "isotap/base/clock.hpp"

namespace isotap::test {

using protocol::ActionKind;
using protocol::Side;

CapturedClient::CapturedClient(const Endpoint& server, Capture& capture, std::size_t slice)
    : server_(server),
      slice_(slice),
      session_(history::SessionId{++capture.sessions}, {}, capture.limits,
               {*this, &capture.events, &capture.transactions, &capture.plans, &capture.names}) {
    session_.start(system_now(), actions_);
    perform();
}

CapturedClient::~CapturedClient() {
    session_.on_closed(system_now());
}

void CapturedClient::start(const Parameters& parameters) {
    send(startup_packet(parameters));
    read_ready();
}

void CapturedClient::send(std::string_view bytes) {
    feed(Side::client, bytes);
}

void CapturedClient::feed(Side from, std::string_view bytes) {
    session_.feed(from, as_bytes(bytes), system_now(), actions_);
    perform();
}

void CapturedClient::perform() {
    bool dial = false;
    for (const protocol::Action& action : actions_) {
        if (action.kind == ActionKind::send && action.to == Side::client) {
            to_client_ += as_text(action.bytes);
        } else if (action.kind == ActionKind::send) {
            server_.send(action.bytes);
        } else if (action.kind == ActionKind::dial) {
            dial = true;
        } else {
            throw std::runtime_error("the session asks for what no test here provides");
        }
    }
    actions_.clear();
    if (dial) {
        session_.on_dialled(system_now(), actions_);
        perform();
    }
}

bool CapturedClient::take_frame(Frame& frame) {
    constexpr std::size_t header = 5;
    if (to_client_.size() < header) {
        return false;
    }
    const std::size_t size = 1 + ByteReader(as_bytes(to_client_).subspan(1)).be32();
    if (to_client_.size() < size) {
        return false;
    }
    frame = {to_client_[0], to_client_.substr(header, size - header)};
    to_client_.erase(0, size);
    return true;
}

std::vector<Frame> CapturedClient::read_ready(int count) {
    std::vector<Frame> frames;
    std::array<std::uint8_t, 16384> buffer{};
    while (count > 0) {
        Frame frame;
        if (take_frame(frame)) {
            count -= frame.type == 'Z' ? 1 : 0;
            frames.push_back(std::move(frame));
            continue;
        }
        const std::size_t size = server_.receive(buffer);
        if (size == 0) {
            throw std::runtime_error("the server has left");
        }
        const std::string_view bytes = as_text(Bytes(buffer).first(size));
        const std::size_t slice = slice_ == 0 ? size : slice_;
        for (std::size_t at = 0; at < size; at += slice) {
            // A copy of its own, so that a view kept too long is found by the sanitizer.
            feed(Side::server, std::string(bytes.substr(at, slice)));
        }
    }
    return frames;
}

void CapturedClient::take(protocol::Note note, std::string_view detail) noexcept {
    if (note != protocol::Note::authenticated) {
        notes.push_back(std::string(protocol::to_string(note)) + ": " + std::string(detail));
    }
}

}  // namespace isotap::test
