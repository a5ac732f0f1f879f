#pragma once

#include <boost/json/fwd.hpp>

#include "proxy/catalog/table_facts.hpp"

namespace isotap::proxy {

/// What a row of `postgres_queries::tables` says of a table.
TableFacts postgres_table_facts(const boost::json::object& row);

}  // namespace isotap::proxy
