// Errors and notices: where they point to, and those that the client's own text would not have met.
#include <array>
#include <charconv>

#include "protocol/postgres/backend/error_response.hpp"
#include "protocol/postgres/instrument/error_position.hpp"
#include "protocol/postgres/instrument/instrument.hpp"
#include "protocol/postgres/instrument/message_space.hpp"

namespace isotap::postgres::instrument {

namespace {

constexpr std::string_view undefined_column = "42703";
/// What servers say of a statement whose result is not what it was when it was prepared. Drivers
/// know that they have to prepare it again.
constexpr std::string_view stale_fields{
    "SERROR\0VERROR\0C0A000\0Mcached plan must not change result type\0", 62};

}  // namespace

/// The character of the client's text that one of ours stands for; 0: none.
std::size_t Instrument::place_of(std::size_t position, Bytes kept, bool kept_cut) const {
    const Asked& asked = asked_.front();
    const bool utf8 = encoding_.positions_in_utf8();
    if (asked.request != Reply::query) {
        return original_position(asked.meaning->text, {asked.meaning->statement},
                                 asked.meaning->lexing, utf8, position);
    }
    if (kept_cut || kept.empty()) {
        return 0;
    }
    return original_position(as_text(kept.first(kept.size() - 1)), asked.statements, asked.lexing,
                             utf8, position);
}

/// Where the key of a table has got another name, or gone, since its statement was planned, nothing
/// takes our columns out of what the client has prepared: it is to prepare it again.
Instrument::Answer Instrument::error(Bytes body, Bytes kept, bool kept_cut,
                                     protocol::Actions& actions) {
    const auto decoded = backend::ErrorResponse::decode(body);
    const bool ours = decoded && decoded->sql_state == undefined_column &&
                      points_to_addition(body, kept, kept_cut);
    if (ours) {
        reporting_.plans->on_schema_changed(planner_.context());
    }
    const Reply failed = asked_.front().request;
    const bool planned_now =
        failed == Reply::parse || (failed == Reply::query && !runs_rewritten());
    if (ours && !planned_now) {
        MessageSpace message(actions, static_cast<std::uint8_t>(BackendType::error_response),
                             stale_fields.size() + 1);
        message.bytes(as_bytes(stale_fields));
        message.u8(0);
        return {Fate::replace, message.whole()};
    }
    return anything_rewritten()
               ? at_position(static_cast<std::uint8_t>(BackendType::error_response), body, kept,
                             kept_cut, actions)
               : Answer{};
}

/// All characters of an addition stand for the same one of the client's. What an EXECUTE runs has a
/// text of its own.
bool Instrument::points_to_addition(Bytes body, Bytes kept, bool kept_cut) const {
    const auto position = ErrorPosition::find(body);
    if (!position) {
        return false;
    }
    const auto run = runs_rewritten() ? statements_.run_by(answering()->executes) : nullptr;
    const auto place = [&](std::size_t at) {
        return run ? original_position(run->text, {run->statement}, run->lexing,
                                       encoding_.positions_in_utf8(), at)
                   : place_of(at, kept, kept_cut);
    };
    const std::size_t first = place(position->value);
    return first != 0 && first == place(position->value + 1);
}

/// The client must see a place in its own text. Where that is not there any more, it sees none.
Instrument::Answer Instrument::at_position(std::uint8_t type, Bytes body, Bytes kept, bool kept_cut,
                                           protocol::Actions& actions) const {
    const auto position = ErrorPosition::find(body);
    if (!position) {
        return {};
    }
    const std::size_t original = place_of(position->value, kept, kept_cut);
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), original).ptr;
    const std::string_view number(digits.data(), static_cast<std::size_t>(end - digits.data()));
    const std::size_t behind = position->offset + position->size;
    if (original == 0) {
        constexpr std::size_t letter = 1;
        constexpr std::size_t nul = 1;
        MessageSpace message(actions, type, body.size() - position->size - letter - nul);
        message.bytes(body.first(position->offset - letter));
        message.bytes(body.subspan(behind + nul));
        return {Fate::replace, message.whole()};
    }
    MessageSpace message(actions, type, body.size() - position->size + number.size());
    message.bytes(body.first(position->offset));
    message.bytes(as_bytes(number));
    message.bytes(body.subspan(behind));
    return {Fate::replace, message.whole()};
}

}  // namespace isotap::postgres::instrument
