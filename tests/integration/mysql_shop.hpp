#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/mysql_wire.hpp"

/// What applications say to a MariaDB, and what they get: once with the server itself and once
/// through an instrumented session, to be compared packet by packet.
namespace isotap::test {

/// The tables that the statements below speak of, in the database shop.
std::string shop_tables();

/// Reads of more than one block.
const std::vector<std::string>& nested_reads();
const std::vector<std::string>& shop_statements();
const std::vector<std::string>& session_statements();

struct Said {
    std::string what;
    std::string answer;
};

enum class Manner { text, prepared, cursor };

/// Says all of the above to whoever listens there, in tables that are as `shop_tables` made them.
std::vector<Said> talk_about_the_shop(const Endpoint& peer, std::uint32_t capabilities,
                                      Manner manner);

void expect_same(const std::vector<Said>& direct, const std::vector<Said>& through);

}  // namespace isotap::test
