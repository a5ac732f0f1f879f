#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/catalog/mysql_login.hpp"
#include "proxy/catalog/side_connection.hpp"

namespace isotap::proxy {

/// A side connection to a server of the MySQL family, by the client library. It has the rights of
/// the URL's user whoever the client is: a text that a client may not run the server refuses, and
/// the session then sends the client's own.
class MysqlSide final : public SideConnection {
  public:
    /// The connection serves every database of the server: `enter` chooses.
    static Asked<std::unique_ptr<SideConnection>> connect(const Upstream& upstream);

    /// Not a PostgreSQL.
    [[nodiscard]] std::uint32_t postgres_version() const override { return 0; }
    [[nodiscard]] std::size_t text_max() const override { return text_max_; }
    Asked<void> enter(const sql::PlanContext& context, const sql::LexerState& lexing) override;
    Asked<NamesKnown> look_up(const NamesAsked& names) override;
    Asked<void> prove(const Proof& proof) override;
    Asked<std::string> signature() override;

  private:
    using Row = std::vector<std::string>;

    explicit MysqlSide(MysqlConnection connection) : connection_(std::move(connection)) {}

    Asked<void> set_up();
    Asked<std::string> ask_for_text_max();
    Asked<void> set_charset(const std::string& charset);
    Asked<std::optional<TableFacts>> look_up_table(const TableName& name);
    Asked<void> read_columns(const std::string& schema, const std::string& table,
                             TableFacts& facts);
    Asked<void> read_indexes(const std::string& schema, const std::string& table,
                             TableFacts& facts);
    Asked<void> read_triggers(const std::string& schema, const std::string& table,
                              TableFacts& facts);
    Asked<std::vector<std::string>> aggregates(const std::vector<std::string>& calls);
    Asked<std::vector<Row>> ask(const std::string& text);
    [[nodiscard]] Trouble trouble(unsigned number, const char* words, PlanOutcome outcome,
                                  std::string_view reason) const;

    MysqlConnection connection_;
    bool mariadb_ = false;
    bool names_fold_case_ = false;
    bool tracks_state_ = false;  ///< sessions are told of variables that triggers set
    std::size_t text_max_ = 0;
    std::string database_;
    std::string user_;
    std::string sql_mode_;  ///< as it was set last
    std::string charset_;
    bool unicode_ = true;  ///< names come in UTF-8
};

}  // namespace isotap::proxy
