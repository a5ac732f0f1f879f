#pragma once

#include <string>

#include "analysis/history/history.hpp"
#include "analysis/history/source.hpp"

/// One reader per family of formats. Each takes a text that may be anything and gives a history or
/// says where it stopped and what it expected there.
namespace isotap::history {

/// Elle's operations, in EDN or JSON: list appends, registers, predicates. Which of them it is
/// shows in the operations.
ReadResult<History> read_elle_edn(const Source& source);
ReadResult<History> read_elle_json(const Source& source);

ReadResult<History> read_plume(const Source& source);
ReadResult<History> read_awdit(const Source& source);
ReadResult<History> read_dbcop_hist(const Source& source);
ReadResult<History> read_dbcop_json(const Source& source);
ReadResult<History> read_dbcop_bincode(const Source& source);
ReadResult<History> read_timekiller(const Source& source);

/// A folder with one T*.log per session.
ReadResult<History> read_cobra(const std::string& folder);

}  // namespace isotap::history
