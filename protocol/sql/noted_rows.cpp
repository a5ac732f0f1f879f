#include "protocol/sql/noted_rows.hpp"

#include <cstdint>

#include "protocol/sql/user_variables.hpp"

namespace isotap::sql {
namespace {

std::string part_of_packet(std::uint32_t bytes_max) {
    return "least(" + std::to_string(bytes_max) + ",@@max_allowed_packet div 8)";
}

/// What is noted so far, and one more.
std::string with_rows(const std::string& entry) {
    const std::string more = unseen("@isotap_done:=concat_ws(''," + in_ascii("@isotap_done") + "," +
                                    in_ascii("@isotap_rows") + ")");
    return "concat_ws('',if(length(@isotap_rows)>" + part_of_packet(16'000) +
           ",if(length(@isotap_done)>" + part_of_packet(4'000'000) + ",';!'," + more + ")," +
           in_ascii("@isotap_rows") + ")," + entry + ")";
}

}  // namespace

std::string noted_row(const std::string& row_id, const std::string& writers) {
    return unseen("@isotap_rows:=" + with_rows("';'," + row_id + ",'='," + writers));
}

std::string noted_as_kept() {
    return unseen("@isotap_rows:=concat(" + in_ascii("@isotap_rows") + ",'*')");
}

std::string noted_name() {
    return "left(right(" + in_ascii("@isotap_rows:=" + with_rows("';',uuid(),'=+'")) + ",38),36)";
}

std::string ask_for_noted_rows() {
    return "select concat_ws(''," + in_ascii("@isotap_done") + "," + in_ascii("@isotap_rows") +
           "),@isotap_done:='',@isotap_rows:=''";
}

}  // namespace isotap::sql
