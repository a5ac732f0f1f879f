// How a side connection proves that a rewritten text shows nothing.
#include <mysql.h>

#include "proxy/catalog/mysql_result.hpp"
#include "proxy/catalog/mysql_side.hpp"

namespace isotap::proxy {
namespace {

struct FreeStatement {
    void operator()(MYSQL_STMT* statement) const noexcept { mysql_stmt_close(statement); }
};
using Statement = std::unique_ptr<MYSQL_STMT, FreeStatement>;

/// A statement that the server has prepared, and the columns of its result.
struct Described {
    Statement statement;
    MysqlResult columns;  ///< null: it gives no rows, or says so only when it runs

    [[nodiscard]] unsigned width() const { return columns ? mysql_num_fields(columns.get()) : 0; }
};

bool same_text(const char* one, const char* other) {
    return std::string_view(one == nullptr ? "" : one) ==
           std::string_view(other == nullptr ? "" : other);
}

/// Nothing that a client could see differs.
bool same_column(const MYSQL_FIELD& one, const MYSQL_FIELD& other) {
    return same_text(one.name, other.name) && same_text(one.org_name, other.org_name) &&
           same_text(one.table, other.table) && same_text(one.org_table, other.org_table) &&
           same_text(one.db, other.db) && one.type == other.type && one.length == other.length &&
           one.charsetnr == other.charsetnr && one.flags == other.flags &&
           one.decimals == other.decimals;
}

bool same_to_the_client(const Described& original, const Described& rewritten,
                        const sql::Plan& plan) {
    if (mysql_stmt_param_count(original.statement.get()) !=
        mysql_stmt_param_count(rewritten.statement.get())) {
        return false;
    }
    // What RETURNING gives is said only when the statement runs.
    const bool said_later = original.width() == 0 && rewritten.width() == 0;
    if (!said_later && rewritten.width() != original.width() + plan.added.size()) {
        return false;
    }
    for (unsigned i = 0; i < original.width(); ++i) {
        if (!same_column(*mysql_fetch_field_direct(original.columns.get(), i),
                         *mysql_fetch_field_direct(rewritten.columns.get(), i))) {
            return false;
        }
    }
    return true;
}

}  // namespace

Asked<void> MysqlSide::prove(const Proof& proof) {
    const auto describe = [this](const std::string& text, PlanOutcome outcome,
                                 std::string_view reason) -> Asked<Described> {
        Described made;
        made.statement.reset(mysql_stmt_init(connection_.get()));
        if (!made.statement) {
            return Trouble{PlanOutcome::no_connection, "no side connection", "no memory"};
        }
        if (mysql_stmt_prepare(made.statement.get(), text.data(), text.size()) != 0) {
            return trouble(mysql_stmt_errno(made.statement.get()),
                           mysql_stmt_error(made.statement.get()), outcome, reason);
        }
        made.columns.reset(mysql_stmt_result_metadata(made.statement.get()));
        return made;
    };
    const auto original =
        describe(proof.original, PlanOutcome::not_prepared, "not prepared by itself");
    if (!original) {
        return original.error();
    }
    const auto rewritten =
        describe(proof.rewritten, PlanOutcome::refuted, "rewritten text refused");
    if (!rewritten) {
        return rewritten.error();
    }
    if (!same_to_the_client(*original, *rewritten, proof.plan)) {
        return Trouble{PlanOutcome::refuted, "rewritten text shows", proof.rewritten};
    }
    return {};
}

}  // namespace isotap::proxy
