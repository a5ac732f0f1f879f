#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/catalog/side_connection.hpp"

struct pg_conn;
struct pg_result;

namespace isotap::proxy {

struct FreeConnection {
    void operator()(pg_conn* connection) const noexcept;
};
struct FreeResult {
    void operator()(pg_result* result) const noexcept;
};

/// A side connection to a PostgreSQL server, by libpq.
class PostgresSide final : public SideConnection {
  public:
    static Asked<std::unique_ptr<SideConnection>> connect(const Upstream& upstream,
                                                          const std::string& database);

    [[nodiscard]] std::uint32_t postgres_version() const override;
    Asked<void> enter(const sql::PlanContext& context, const sql::LexerState& lexing) override;
    Asked<NamesKnown> look_up(const NamesAsked& names) override;
    Asked<void> prove(const Proof& proof) override;
    Asked<std::string> signature() override;

  private:
    using Connection = std::unique_ptr<pg_conn, FreeConnection>;
    using Result = std::unique_ptr<pg_result, FreeResult>;

    explicit PostgresSide(Connection connection) : connection_(std::move(connection)) {}

    /// Whose rights, and whose search path.
    enum class Voice : std::uint8_t {
        ourselves,
        client_safely,  ///< his rights, pg_catalog alone
        client,
    };

    Asked<void> speak_as(Voice voice);
    Asked<std::vector<std::string>> resolve(const std::vector<TableName>& names);
    Asked<Result> ask(const char* text, const std::vector<std::string>& values = {});
    Asked<void> look_up_referencing(const NamesAsked& names, const std::string& oids,
                                    NamesKnown& known);
    Asked<Result> describe(const std::string& text, const std::vector<std::uint32_t>& types);
    Asked<std::string> default_search_path(const std::string& user);
    [[nodiscard]] Trouble trouble(const pg_result* result, PlanOutcome outcome,
                                  std::string_view reason) const;

    Connection connection_;
    std::string own_search_path_;  ///< empty: it is our user's alone
    std::string role_;             ///< as set_config wants it
    std::string search_path_;
    bool plain_strings_ = true;  ///< standard_conforming_strings
    std::optional<Voice> voice_;
};

}  // namespace isotap::proxy
