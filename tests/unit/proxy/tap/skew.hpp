#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tests/unit/proxy/tap/told.hpp"

/// Histories as two relay threads tell them, each with its own numbers for names.
namespace isotap::proxy::testing {

/// Takes back a history in which two doctors go off call, each because the other one is on it.
/// `tell(lane, event)` gets the events.
template <typename Tell>
void write_skew(std::uint64_t first, history::IsolationLevel level, Tell tell,
                std::array<std::string_view, 2> databases = {"shop", "shop"}) {
    using history::Event;
    using history::NameId;
    const std::uint64_t ids[] = {first, first + 1};
    const NameId table_of_lane[] = {NameId{3}, NameId{8}};
    const history::RowKey rows[] = {{0, 7 + 2 * first}, {0, 8 + 2 * first}};
    for (std::size_t lane : {0U, 1U}) {
        tell(lane, Event{history::NameDefined{table_of_lane[lane], "shop.doctor"}});
        tell(lane, Event{history::RowLabelled{table_of_lane[lane], rows[lane], "name=alice"}});
        const auto at = static_cast<std::int64_t>(10 * first);
        tell(lane, Event{history::SessionBegan{history::SessionId{ids[lane]}, at_ms(at),
                                               history::Dialect::postgres, "ann",
                                               databases.at(lane), "web"}});
        tell(lane, Event{began(ids[lane], at, ids[lane])});
        tell(lane, Event{history::TransactionLevel{history::TransactionId{ids[lane]}, level,
                                                   history::LevelSource::transaction, false}});
    }
    const auto access = [&](std::size_t lane, std::uint32_t ordinal, std::size_t row,
                            history::AccessKind kind, history::Version after) {
        const history::StatementRef ref{history::TransactionId{ids[lane]}, ordinal};
        tell(lane, Event{history::Access{ref, table_of_lane[lane], rows[row], kind,
                                         history::Version::initial(), after}});
    };
    const auto done = [&](std::size_t lane, std::uint32_t ordinal, history::Coverage coverage) {
        history::StatementEnded end;
        end.statement = {history::TransactionId{ids[lane]}, ordinal};
        end.at = at_ms(1);
        end.coverage = coverage;
        tell(lane, Event{end});
    };
    for (std::size_t lane : {0U, 1U}) {
        tell(lane, Event{statement(ids[lane], 1, "begin")});
        done(lane, 1, history::Coverage::none);
        tell(lane, Event{statement(ids[lane], 2, "select * from doctor where on_call")});
        access(lane, 2, 0, history::AccessKind::read, {});
        access(lane, 2, 1, history::AccessKind::read, {});
        done(lane, 2, history::Coverage::full);
    }
    for (std::size_t lane : {0U, 1U}) {
        const history::StatementRef ref{history::TransactionId{ids[lane]}, 3};
        tell(lane, Event{statement(ids[lane], 3,
                                   "update doctor set on_call = false where name = 'alice'")});
        access(lane, 3, lane, history::AccessKind::update, history::Version::written_by(ref));
        done(lane, 3, history::Coverage::full);
    }
    for (std::size_t lane : {0U, 1U}) {
        tell(lane, Event{ended(ids[lane], history::Outcome::committed,
                               static_cast<std::int64_t>(10 * first + 9))});
    }
}

/// One transaction that updates one row.
template <typename Tell>
void plain_update(std::uint64_t id, Tell tell) {
    using history::Event;
    const history::StatementRef ref{history::TransactionId{id}, 1};
    tell(0, Event{history::NameDefined{history::NameId{1}, "shop.doctor"}});
    tell(0, Event{began(id)});
    tell(0, Event{statement(id, 1, "update doctor set on_call = true")});
    tell(0, Event{history::Access{ref,
                                  history::NameId{1},
                                  {0, 1},
                                  history::AccessKind::update,
                                  history::Version::initial(),
                                  history::Version::written_by(ref)}});
    history::StatementEnded end;
    end.statement = ref;
    end.at = at_ms(1);
    end.coverage = history::Coverage::full;
    tell(0, Event{end});
    tell(0, Event{ended(id)});
}

}  // namespace isotap::proxy::testing
