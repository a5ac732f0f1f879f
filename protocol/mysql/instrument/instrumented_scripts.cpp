#include <cassert>
#include <utility>

#include "protocol/mysql/instrument/instrumented_conversation.hpp"
#include "protocol/mysql/instrument/packet_writer.hpp"
#include "protocol/mysql/messages/query_request.hpp"

/// A text of several statements, one part after the other.
namespace isotap::mysql::instrument {

/// Nothing where nothing is captured anyway, and where query attributes stand ahead of the text:
/// they are for all of it.
std::optional<Script::Cut> InstrumentedConversation::cut_script(Bytes packet,
                                                                std::string_view text) const {
    const std::size_t no_attributes = channel_.in_force.has(Capability::query_attributes) ? 2 : 0;
    if (!channel_.in_force.has(Capability::multi_statements) || fused_ ||
        !context_.obstacle().empty() ||
        packet.size() - text.size() != header_size + 1 + no_attributes) {
        return std::nullopt;
    }
    return script_.cut(text, observation_->lexing());
}

/// Where the server cannot read the part, all of the text goes as it came.
void InstrumentedConversation::run_part(Bytes packet, const Script::Cut& cut, Decision decision,
                                        const Piece& piece) {
    const Bytes payload = packet.subspan(header_size);
    const Bytes head =
        payload.first(static_cast<std::size_t>(cut.statement.data() - as_text(payload).data()));
    const std::vector<std::uint8_t> part = query_packet(head, cut.statement);
    const std::string_view text = as_text(Bytes(part).last(cut.statement.size()));
    const bool ours = std::exchange(ours_, true);
    begin_part(head, cut.rest);
    run_query(part, text, std::move(decision), piece);
    original_.assign(packet.begin(), packet.end());
    ours_ = ours;
}

/// A part goes now, and `rest` behind its reply, ahead of all that the client has sent since.
void InstrumentedConversation::begin_part(Bytes head, std::string_view rest) {
    if (rest.empty()) {
        script_.part_goes(0);
        return;
    }
    const std::vector<std::uint8_t> waiting = query_packet(head, rest);
    backlog_.insert(backlog_.begin(), waiting.begin(), waiting.end());
    script_.part_goes(waiting.size());
}

/// A packet with another text behind the same head.
std::vector<std::uint8_t> InstrumentedConversation::query_packet(Bytes head,
                                                                 std::string_view text) {
    std::vector<std::uint8_t> payload(head.begin(), head.end());
    payload.insert(payload.end(), text.begin(), text.end());
    std::vector<std::uint8_t> out;
    write_packet(payload, 0, out);
    return out;
}

/// Behind an error the server does not run what stands next.
void InstrumentedConversation::end_part(const ReplyStep& step) {
    if (step.part == ReplyPart::error) {
        drop_rest();
    } else if (script_.waiting() > 0) {
        script_.part_answered(rewriter_.sequence());
        return;
    }
    script_ = {};
}

void InstrumentedConversation::drop_rest() {
    assert(script_.waiting() <= backlog_.size());
    const auto waiting = static_cast<std::ptrdiff_t>(script_.waiting());
    backlog_.erase(backlog_.begin(), backlog_.begin() + waiting);
    script_.part_goes(0);
}

/// The server could not read the part, and says where: up to the end of the whole text, as it would
/// have come. Nothing of the part has run.
void InstrumentedConversation::send_rest_as_it_came() {
    std::vector<std::uint8_t> whole = std::exchange(original_, {});
    const bool ours_refused = current_.rewritten;
    const bool named = current_.told;
    const Bytes waiting = Bytes(backlog_).first(script_.waiting());
    if (!waiting.empty()) {
        const auto rest = decode_query_text(waiting.subspan(header_size), channel_.in_force);
        observation_->others_sent(rest.value_or(""));
    }
    drop_rest();
    const auto text = decode_query_text(Bytes(whole).subspan(header_size), channel_.in_force);
    current_ = decide(text.value_or(""), Command::query);
    stop_rewriting(ours_refused ? "refused by the server" : "several statements");
    others_begun_ = 0;
    cover(current_.coverage, current_.reason);
    rewriter_.begin(as_it_came_, ReplyRewriter::Form::text, script_.sequence());
    ledger_.pop();
    if (named) unname_writer();
    push(Command::query, Piece(), 0, protocol::Treatment::strip, {});
    actions_->send_own(protocol::Side::server, std::move(whole));
    sent_again_ = ours_refused;
}

}  // namespace isotap::mysql::instrument
