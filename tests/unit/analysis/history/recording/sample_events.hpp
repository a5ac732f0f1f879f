#pragma once

#include <array>
#include <chrono>

#include "isotap/history/events.hpp"

namespace isotap::test {

inline Time moment(std::int64_t seconds) {
    return Time{std::chrono::seconds{1'700'000'000 + seconds}};
}

inline constexpr history::NameId account_table{1};
inline constexpr history::NameId opaque_reason{2};

/// A lost update with all that a tap may tell about it: every kind of event, and the odd values.
inline void tell_sample(history::EventSink& sink) {
    const history::SessionId one{1};
    const history::SessionId two{2};
    const history::TransactionId a{(std::uint64_t{77} << 40U) + 1};
    const history::TransactionId b{(std::uint64_t{77} << 40U) + 2};
    const history::RowKey row{0, 17};
    const history::RowKey hashed{0xFEDCBA9876543210ULL, 0x8000000000000000ULL};
    sink.accept(history::NameDefined{account_table, "account"});
    sink.accept(
        history::SessionBegan{one, moment(0), history::Dialect::postgres, "ann", "shop", "psql"});
    sink.accept(
        history::SessionBegan{two, moment(0), history::Dialect::postgres, "bob", "shop", ""});
    for (const auto& [session, txn] : {std::pair{one, a}, std::pair{two, b}}) {
        sink.accept(history::TransactionBegan{session, txn, moment(1), false});
        sink.accept(history::TransactionLevel{txn, history::IsolationLevel::read_committed,
                                              history::LevelSource::session, false});
        sink.accept(history::Alias{txn, 700 + static_cast<std::uint64_t>(session)});
        sink.accept(history::StatementBegan{
            {txn, 1}, moment(2), "SELECT * FROM account WHERE id = 17", false});
        sink.accept(
            history::PredicateRead{{txn, 1}, history::PredicateId{1}, account_table, "id = 17"});
        sink.accept(history::Access{{txn, 1},
                                    account_table,
                                    row,
                                    history::AccessKind::read,
                                    history::Version::initial(),
                                    {}});
        sink.accept(history::Access{{txn, 1},
                                    account_table,
                                    row,
                                    history::AccessKind::doubtful_read,
                                    history::Version::initial(),
                                    {}});
        sink.accept(history::Access{{txn, 1},
                                    account_table,
                                    hashed,
                                    history::AccessKind::locking_read,
                                    history::Version::foreign(699),
                                    {}});
        sink.accept(history::StatementEnded{{txn, 1},
                                            moment(3),
                                            history::StatementOutcome::completed,
                                            history::Coverage::full,
                                            history::no_sql_state,
                                            0,
                                            1,
                                            history::no_name,
                                            "SELECT 1"});
    }
    sink.accept(history::NameDefined{opaque_reason, "a function call"});
    const history::Version made_a = history::Version::written_by({a, 2});
    sink.accept(history::RowLabelled{account_table, row, "17"});
    sink.accept(history::RowLabelled{account_table, hashed, "'a-long-key'"});
    sink.accept(
        history::StatementBegan{{a, 2}, moment(4), "UPDATE account SET n = 1 WHERE id = 17", true});
    sink.accept(history::Access{{a, 2},
                                account_table,
                                row,
                                history::AccessKind::update,
                                history::Version::initial(),
                                made_a});
    sink.accept(history::RowImage{{a, 2}, account_table, row, "(17,0)", "(17,1)"});
    sink.accept(history::PredicateMatch{history::PredicateId{1}, {a, 2}, row, true, true});
    sink.accept(history::StatementEnded{{a, 2},
                                        moment(5),
                                        history::StatementOutcome::completed,
                                        history::Coverage::partial,
                                        history::no_sql_state,
                                        0,
                                        1,
                                        opaque_reason,
                                        "UPDATE 1"});
    sink.accept(
        history::TransactionEnded{a, moment(6), moment(7), history::Outcome::committed, false});
    const std::array<history::Version, 4> writers{
        history::Version::initial(), made_a, history::Version::foreign(5), {}};
    sink.accept(history::WriterList{{b, 2}, account_table, row, 3, writers});
    sink.accept(history::Access{{b, 2},
                                account_table,
                                row,
                                history::AccessKind::update,
                                made_a,
                                history::Version::written_by({b, 2})});
    sink.accept(history::Savepoint{{b, 3}, history::SavepointAction::set, "spot"});
    sink.accept(history::Access{{b, 4},
                                account_table,
                                {0, 18},
                                history::AccessKind::insert,
                                history::Version::unborn(),
                                history::Version::written_by({b, 4})});
    sink.accept(history::Access{{b, 5},
                                account_table,
                                {0, 18},
                                history::AccessKind::remove,
                                history::Version::written_by({b, 4}),
                                history::Version::dead()});
    sink.accept(history::StatementEnded{{b, 6},
                                        moment(8),
                                        history::StatementOutcome::failed,
                                        history::Coverage::none,
                                        {'2', '3', '5', '0', '5'},
                                        1062,
                                        0,
                                        history::no_name,
                                        ""});
    sink.accept(history::TableEmptied{{b, 6}, account_table});
    sink.accept(history::Savepoint{{b, 7}, history::SavepointAction::roll_back, "spot"});
    sink.accept(
        history::TransactionEnded{b, moment(9), moment(10), history::Outcome::committed, true});
    sink.accept(
        history::HeldRead{{}, {b, 5}, account_table, hashed, history::Version::foreign(699)});
    sink.accept(history::Gap{two, b, moment(11), 3, opaque_reason});
    sink.accept(history::SessionEnded{one, moment(12)});
}

}  // namespace isotap::test
