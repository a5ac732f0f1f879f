// The part of a conversation that holds messages back: requests until they are planned, answers
// until what was added to them is taken out.
#include <algorithm>
#include <utility>

#include "protocol/postgres/conversation.hpp"
#include "protocol/postgres/instrument/message_space.hpp"

namespace isotap::postgres {

using instrument::Instrument;
using instrument::MessageSpace;
using protocol::ActionKind;
using protocol::Actions;
using protocol::Side;

namespace {

constexpr std::size_t header_size = 5;

/// A message as it came, whatever pieces it came in.
Bytes whole(const Piece& message, Actions& actions) {
    if (message.first && message.last) {
        return message.raw;
    }
    MessageSpace space(actions, message.type, message.body.size());
    space.bytes(message.body);
    return space.whole();
}

/// The first bytes of a message that is not whole, which were withheld so far.
void send_beginning(const FrameReader& reader, Side to, std::size_t count, Actions& actions) {
    if (count == 0) {
        return;
    }
    reader.beginning(count, [&](Bytes bytes) {
        const MutableBytes copy = actions.room(bytes.size());
        std::copy(bytes.begin(), bytes.end(), copy.begin());
        actions.send(to, copy);
    });
}

}  // namespace

/// The result formats of a Bind stand at its very end, behind values of any length.
void Conversation::bound_request(std::uint8_t type) noexcept {
    if (instrument_) {
        const bool bind = type == static_cast<std::uint8_t>(FrontendType::bind);
        client_.keep_at_most(bind ? FrameReader::length_max : kept_max_);
    }
}

/// False when the rest of the input is not to be read now.
bool Conversation::pass_captured(const Piece& message, Time now, Actions& actions) {
    if (message.first) {
        streams_ = false;
    }
    const std::size_t before = std::exchange(withheld_, 0);
    const std::size_t arrived = before + message.raw.size();
    const bool bind = message.type == static_cast<std::uint8_t>(FrontendType::bind);
    if (!streams_ && arrived >= header_size && message.size > kept_max_ && !bind) {
        streams_ = true;
        send_beginning(client_, Side::server, before, actions);
    }
    if (streams_) {
        actions.send(Side::server, message.raw);
        return !message.last || pass_long(message, now, actions);
    }
    if (!message.last) {
        withheld_ = arrived;
        return true;
    }
    return pass_planned(message, false, now, actions);
}

bool Conversation::pass_long(const Piece& message, Time now, Actions& actions) {
    const bool asked = !skipping_;
    if (asked) {
        instrument_->prepare_too_long(message.type, message.body);
    }
    if (!on_request(message, now)) {
        give_up(Side::client, client_.rest(), now, actions);
        return false;
    }
    if (asked) {
        instrument_->on_owed();
    }
    return true;
}

/// `message` is whole, and none of it has been sent.
bool Conversation::pass_planned(Piece message, bool insist, Time now, Actions& actions) {
    const bool asked = !skipping_;
    std::optional<Bytes> changed;
    if (asked) {
        bool wait = false;
        changed = instrument_->prepare(message.type, message.body, insist, wait, actions);
        if (wait) {
            hold(message, actions);
            return false;
        }
    }
    actions.send(Side::server, changed ? *changed : whole(message, actions));
    if (message.body.size() > kept_max_) {
        message.body = message.body.first(kept_max_);
        message.cut = true;
    }
    if (!on_request(message, now)) {
        give_up(Side::client, client_.rest(), now, actions);
        return false;
    }
    if (asked) {
        instrument_->on_owed();
    }
    return true;
}

void Conversation::hold(const Piece& message, Actions& actions) {
    const Bytes rest = client_.rest();
    held_.any = true;
    held_.type = message.type;
    held_.body.assign(message.body.begin(), message.body.end());
    held_.rest.assign(rest.begin(), rest.end());
    client_.feed({});
    actions.add(ActionKind::hold, Side::client);
}

void Conversation::on_released(Time now, Actions& actions) {
    if (!held_.any) {
        return;  // all of it has gone its way already
    }
    held_.any = false;
    resumed_ = std::exchange(held_.rest, {});
    client_.feed(resumed_);
    Piece message;
    message.type = held_.type;
    message.last = true;
    message.size = static_cast<std::uint32_t>(held_.body.size());
    const std::vector<std::uint8_t> body = std::exchange(held_.body, {});
    message.body = body;
    if (pass_planned(message, true, now, actions)) {
        from_client(resumed_, now, actions);
    }
}

/// What is held or withheld goes as it came.
void Conversation::let_go(Actions& actions) {
    send_beginning(server_, Side::client, std::exchange(withheld_of_reply_, 0), actions);
    if (std::exchange(held_.any, false)) {
        MessageSpace message(actions, held_.type, held_.body.size());
        message.bytes(held_.body);
        actions.send(Side::server, message.whole());
        const MutableBytes rest = actions.room(held_.rest.size());
        std::copy(held_.rest.begin(), held_.rest.end(), rest.begin());
        actions.send(Side::server, rest);
        held_ = {};
    }
    send_beginning(client_, Side::server, std::exchange(withheld_, 0), actions);
}

/// Called for each message of the server as it begins.
bool Conversation::withhold_reply(std::uint8_t type) {
    if (!instrument_) {
        return false;
    }
    prune();
    withholds_reply_ = !ledger_.empty() && instrument_->changes(type, ledger_.front().reply);
    server_.keep_at_most(withholds_reply_ ? FrameReader::length_max : kept_max_);
    return withholds_reply_;
}

bool Conversation::pass_changed(const Piece& message, Time now, Actions& actions) {
    using Fate = Instrument::Fate;
    const Instrument::Answer answer = instrument_->answer(
        message.type, message.body, ledger_.kept(), ledger_.front().cut, actions);
    switch (answer.fate) {
        case Fate::forward: actions.send(Side::client, whole(message, actions)); break;
        case Fate::replace: actions.send(Side::client, answer.bytes); break;
        case Fate::swallow: break;
    }
    if (!on_reply(message, now)) {
        give_up(Side::server, server_.rest(), now, actions);
        return false;
    }
    return true;
}

}  // namespace isotap::postgres
