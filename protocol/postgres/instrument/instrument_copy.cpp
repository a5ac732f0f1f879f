// From the server to the client: rows of a COPY without the columns that were added to them.
#include <algorithm>
#include <array>

#include "protocol/postgres/instrument/instrument.hpp"
#include "protocol/postgres/instrument/message_space.hpp"

namespace isotap::postgres::instrument {

namespace {

/// CopyOutResponse: how rows are written, and of how many columns they are.
struct CopyOut {
    std::uint8_t format = 0;
    std::uint16_t columns = 0;

    static std::optional<CopyOut> decode(Bytes body) noexcept {
        ByteReader reader(body);
        const CopyOut out{reader.u8(), reader.be16()};
        reader.take(out.columns * sizeof(std::uint16_t));
        return reader.ok() && reader.at_end() ? std::optional(out) : std::nullopt;
    }
};

}  // namespace

Instrument::Answer Instrument::begin_copy(Bytes body, protocol::Actions& actions) {
    const PlannedStatement& statement = *answering();
    const auto out = CopyOut::decode(body);
    const bool binary = statement.copies->kind == CopyFormat::Kind::binary;
    if (!out || out->columns < statement.added() || (out->format == 1) != binary) {
        broken_ = true;
        blow("the columns of a COPY are not those that were planned");
        return {};
    }
    const std::size_t kept = out->columns - statement.added();
    copy_ = std::make_unique<CopyRows>(*statement.copies, kept, statement.added());
    constexpr std::size_t head = sizeof out->format + sizeof out->columns;
    const std::size_t formats = kept * sizeof(std::uint16_t);
    MessageSpace message(actions, static_cast<std::uint8_t>(BackendType::copy_out_response),
                         head + formats);
    message.u8(out->format);
    message.be16(static_cast<std::uint16_t>(kept));
    message.bytes(body.subspan(head, formats));
    return {Fate::replace, message.whole()};
}

Instrument::Answer Instrument::copied(Bytes body, protocol::Actions& actions) {
    if (broken_ || !copy_) {
        return {};
    }
    const std::size_t held = copy_->held().size();
    std::array<std::uint8_t, 4> waiting{};
    std::copy_n(copy_->held().begin(), held, waiting.begin());
    copy_->feed(body);
    CopyStep step = copy_->next();
    for (; step == CopyStep::row; step = copy_->next()) {
        tell(*answering(), copy_->added());
    }
    const auto type = static_cast<std::uint8_t>(BackendType::copy_data);
    if (step == CopyStep::strange) {
        broken_ = true;
        blow("a row of a COPY is not what was planned");
        MessageSpace message(actions, type, held + body.size());
        message.bytes(Bytes(waiting).first(held));
        message.bytes(body);
        return {Fate::replace, message.whole()};
    }
    const std::size_t size = copy_->size();
    if (size == 0 && !body.empty()) {
        return {Fate::swallow, {}};  // it held nothing but what is ours
    }
    MessageSpace message(actions, type, size);
    for (const Bytes part : copy_->parts()) {
        message.bytes(part);
    }
    return {Fate::replace, message.whole()};
}

/// A row that has no end: what was kept back of it is the client's all the same.
Instrument::Answer Instrument::end_copy(protocol::Actions& actions) {
    const Bytes held = copy_ && !broken_ ? copy_->held() : Bytes{};
    if (held.empty()) {
        return {};
    }
    MessageSpace last(actions, static_cast<std::uint8_t>(BackendType::copy_data), held.size());
    last.bytes(held);
    MessageSpace done(actions, static_cast<std::uint8_t>(BackendType::copy_done), 0);
    actions.send(protocol::Side::client, last.whole());
    return {Fate::replace, done.whole()};
}

}  // namespace isotap::postgres::instrument
