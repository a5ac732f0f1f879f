#pragma once

#include "isotap/history/events.hpp"
#include "isotap/history/names.hpp"
#include "isotap/history/transaction_ids.hpp"
#include "isotap/protocol/note.hpp"

namespace isotap::sql {
class PlanSource;
}

namespace isotap::protocol {

/// Where a session reports to. All of it outlives the session, and is called on its thread.
struct Reporting {
    NoteTaker& notes;
    history::EventSink* events = nullptr;             ///< null: relay only
    history::TransactionIds* transactions = nullptr;  ///< set where `events` is
    sql::PlanSource* plans = nullptr;                 ///< null: statements go as they came
    history::Names* names = nullptr;                  ///< set where `plans` is
};

}  // namespace isotap::protocol
