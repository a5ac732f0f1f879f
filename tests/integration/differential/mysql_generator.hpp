#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/integration/differential/chooser.hpp"
#include "tests/integration/differential/mysql_schema.hpp"

namespace isotap::test {

/// A statement, or a few in one text.
struct MysqlStatement {
    std::string text;
    std::vector<std::string> values{};  ///< of its question marks
    bool ordered = false;               ///< its rows come in one order only
    bool only_text = false;             ///< cannot be prepared
};

/// Statements over `mysql_schema`, one after the other: most of them valid, all of them with one
/// answer only, whatever the plan. The same for the same seed. Not thread-safe.
class MysqlGenerator : private Chooser {
  public:
    /// `asks_counts`: ROW_COUNT() and FOUND_ROWS() are among them.
    MysqlGenerator(MysqlFlavour flavour, std::uint64_t seed, bool asks_counts)
        : Chooser(seed), mariadb_(flavour != MysqlFlavour::mysql), asks_counts_(asks_counts) {}

    void begin_session() { counts_asked_ = false; }
    MysqlStatement next();

  private:
    /// A parameter, until the whole text is there: this and the number of its value.
    static constexpr char parameter_mark = '\1';
    static constexpr std::size_t parameters_max = 60;

    struct InScope {
        std::string alias;
        const MysqlTable* table = nullptr;
    };
    using Scope = std::vector<InScope>;

    // mysql_expressions.cpp
    const MysqlTable& any_table(bool views);
    InScope scoped(const MysqlTable& table);
    std::string named(const InScope& one);
    std::string literal(MysqlType type);
    std::string fit(const MysqlColumn& column, const std::string& value);
    std::string given(const MysqlColumn& column, const std::string& value);
    std::string column(MysqlType type, const Scope& scope);
    std::string value(MysqlType type, const Scope& scope, int depth);
    std::string deeper(MysqlType type, const Scope& scope, int depth);
    std::string condition(const Scope& scope, int depth);
    std::string subquery(const Scope& scope, int depth);

    // mysql_queries.cpp
    MysqlStatement query();
    std::string from(Scope& scope, int depth);
    std::string joined(const Scope& scope, const InScope& one, const std::string& source);
    std::string select_list(const Scope& scope, std::size_t& columns);
    std::string select(int depth);
    std::string grouped(const Scope& scope, const std::string& source);
    std::string merged();
    std::string windowed(const Scope& scope, const std::string& source);
    std::string set_operation(int depth);
    std::string with(int depth);
    std::string recursive();
    std::string natural();
    std::string locking();

    // mysql_writes.cpp
    std::string load();
    std::string write();
    std::string insert();
    std::string replace();
    std::string insert_source(const std::vector<MysqlColumn>& columns);
    std::string insert_rows(const std::vector<MysqlColumn>& columns);
    std::string on_duplicate(const MysqlTable& table);
    std::string returning(const MysqlTable& table);
    std::string assignments(const MysqlTable& table, const Scope& scope);
    std::string update();
    std::string joined_update();
    std::string remove();
    std::string joined_remove();

    // mysql_generator.cpp
    std::string schema_change();
    std::string made_use(const std::string& name);
    std::string control();
    std::string settings();
    std::string prepared();
    std::string routine();
    MysqlStatement diagnostics();
    std::string several();
    std::string wrong();
    void number_parameters(MysqlStatement& statement);

    bool mariadb_;
    bool asks_counts_;
    bool counts_asked_ = false;  ///< in this session
    bool parameters_ = false;
    std::vector<std::string> values_;
    int names_ = 0;
};

/// 1, 2 … as ORDER BY takes them.
std::string all_positions(std::size_t columns);

}  // namespace isotap::test
