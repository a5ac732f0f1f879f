#include "protocol/sql/trimmed_writers.hpp"

namespace isotap::sql {

std::string trimmed_writers(const std::string& writers, std::uint32_t entries, Dialect dialect) {
    if (entries == 0) {
        return writers;
    }
    const std::string commas = "length(" + writers + ")-length(replace(" + writers + ",',',''))";
    const std::string full = commas + ">=" + std::to_string(entries - 1);
    if (dialect == Dialect::postgres) {
        return "case when " + full + " then (coalesce(substring(" + writers +
               " from '^([0-9]+)[|]')::int8,0)+1)::text||'|'||regexp_replace(" + writers +
               ",'^([0-9]+[|])?[^,]*,?','') else " + writers + " end";
    }
    const std::string list = "substring_index(" + writers + ",'|',-1)";
    return "if(" + full + ",concat(if(locate('|'," + writers + "),substring_index(" + writers +
           ",'|',1),0)+1,'|',substring(" + list + ",locate(','," + list + ")+1))," + writers + ")";
}

}  // namespace isotap::sql
