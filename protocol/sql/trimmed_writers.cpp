#include "protocol/sql/trimmed_writers.hpp"

namespace isotap::sql {

std::string trimmed_writers(const std::string& writers, std::uint32_t entries, Dialect dialect) {
    if (entries == 0) {
        return writers;
    }
    if (dialect == Dialect::postgres) {
        const std::string commas =
            "length(" + writers + ")-length(replace(" + writers + ",',',''))";
        return "case when " + commas + ">=" + std::to_string(entries - 1) +
               " then (coalesce(substring(" + writers +
               " from '^([0-9]+)[|]')::int8,0)+1)::text||'|'||regexp_replace(" + writers +
               ",'^([0-9]+[|])?[^,]*,?','') else " + writers + " end";
    }
    // As short as it can be: the server reads it with each statement.
    return "if(substring_index(" + writers + ",','," + std::to_string(entries - 1) +
           ")=" + writers + "," + writers + ",concat(concat(0,left(" + writers + ",locate('|'," +
           writers + ")-1))+1,'|',substring(" + writers + ",locate(','," + writers + ")+1)))";
}

}  // namespace isotap::sql
