#include "protocol/mysql/error_meaning.hpp"

#include <algorithm>
#include <initializer_list>

namespace isotap::mysql {
namespace {

bool is_one_of(std::uint32_t error, std::initializer_list<std::uint32_t> numbers) noexcept {
    return std::find(numbers.begin(), numbers.end(), error) != numbers.end();
}

}  // namespace

bool rolls_back_all(std::uint32_t error) noexcept {
    return is_one_of(error, {1213, 1206, 1402, 1613, 1614});
}

bool may_roll_back_all(std::uint32_t error) noexcept {
    return is_one_of(error, {1205, 1020, 1467});
}

bool cannot_be_read(std::uint32_t error) noexcept {
    return is_one_of(error, {1064, 1149});
}

bool never_ran(std::uint32_t error) noexcept {
    return is_one_of(error, {1064, 1149, 1210, 1226, 1243, 1295, 1399, 1615, 1792, 1820});
}

bool undoes_a_commit(std::uint32_t error) noexcept {
    return is_one_of(error, {1180, 3101});
}

bool leaves_doubt(std::uint32_t error) noexcept {
    return is_one_of(error, {1053, 1927, 8501});
}

bool refuses_the_text(std::uint32_t error) noexcept {
    return is_one_of(error, {1044, 1046, 1052, 1054, 1060, 1064, 1117, 1136, 1142, 1143, 1146, 1267,
                             1270, 1271, 4140});
}

}  // namespace isotap::mysql
