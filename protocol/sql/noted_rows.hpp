#pragma once

#include <string>

/// MariaDB: rows that a write touches are noted in user variables as it goes, in the form that
/// `Plan::afterwards` promises. Two variables: appending to one long text is quadratic. What would
/// be too long for the server is an error of the client's statement: rows that do not fit are left
/// out, and '!' says so.
namespace isotap::sql {

/// An empty text that notes the row which these columns name, as it is before the write.
std::string noted_row(const std::string& row_id, const std::string& writers);

/// An empty text that says of the row noted last that it does not change.
std::string noted_as_kept();

/// A name for a row that is about to be made, noted as well.
std::string noted_name();

/// The question for what was noted, which forgets it.
std::string ask_for_noted_rows();

}  // namespace isotap::sql
