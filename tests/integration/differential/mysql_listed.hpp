#pragma once

#include <string>

#include "tests/integration/differential/heard.hpp"
#include "tests/integration/differential/mysql_speaker.hpp"
#include "tests/support/mysql_server.hpp"

namespace isotap::test {

inline constexpr const char* show_warnings = "show warnings";

/// Columns out of a temporary table have lost what they were in their own, and whether there is one
/// is what the plan says.
bool may_be_sorted_aside(const std::string& text);

/// Of `select … from (select * from t limit n) d`, prepared, MariaDB does not find `d.a` in a
/// subquery; it does where the columns of `*` are named, as they are when it is captured.
bool loses_a_column(const Heard& heard, const std::string& text);

/// What is on the list of known differences (docs/TRANSPARENCY.md) is taken out of both answers.
/// Some of it follows from the statement before: one for each run. Not thread-safe.
class MysqlListed {
  public:
    explicit MysqlListed(MysqlFlavour flavour) noexcept : flavour_(flavour) {}

    /// `text` was executed, sent as `way` says.
    void forget(const std::string& text, MysqlWay way, Heard& direct, Heard& through);

  private:
    [[nodiscard]] bool counts_for_another(const std::string& text, MysqlWay way) const;

    MysqlFlavour flavour_;
    bool selected_just_now_ = false;
    bool error_forgotten_ = false;  ///< which one it was
};

}  // namespace isotap::test
