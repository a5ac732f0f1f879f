#include "proxy/catalog/postgres_answer.hpp"

#include <string_view>
#include <vector>

#include <libpq-fe.h>

namespace isotap::proxy {
namespace {

/// Nothing that a client could see differs: a column's name, its type, and where it comes from.
bool same_column(const PGresult* one, int i, const PGresult* other, int j) {
    return std::string_view(PQfname(one, i)) == PQfname(other, j) &&
           PQftype(one, i) == PQftype(other, j) && PQfmod(one, i) == PQfmod(other, j) &&
           PQfsize(one, i) == PQfsize(other, j) && PQftable(one, i) == PQftable(other, j) &&
           PQftablecol(one, i) == PQftablecol(other, j);
}

/// The columns that a client would see if there were no auxiliary ones. Who asks for those by name
/// gets them in the rewritten text as well, which then has too many.
std::vector<int> shown_columns(const PGresult* original) {
    static const sql::Table names;
    std::vector<int> shown;
    for (int i = 0; i < PQnfields(original); ++i) {
        const std::string_view name = PQfname(original, i);
        if (name != names.row_id && name != names.writers) {
            shown.push_back(i);
        }
    }
    return shown;
}

bool same_parameters(const PGresult* one, const PGresult* other) {
    if (PQnparams(one) != PQnparams(other)) {
        return false;
    }
    for (int i = 0; i < PQnparams(one); ++i) {
        if (PQparamtype(one, i) != PQparamtype(other, i)) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool same_to_the_client(const PGresult* original, const PGresult* rewritten,
                        const sql::Plan& plan) {
    const std::vector<int> shown = shown_columns(original);
    if (static_cast<std::size_t>(PQnfields(rewritten)) != shown.size() + plan.added.size() ||
        (plan.reply == sql::ReplyChange::swallow && !shown.empty())) {
        return false;
    }
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (!same_column(original, shown[i], rewritten, static_cast<int>(i))) {
            return false;
        }
    }
    return same_parameters(original, rewritten);
}

}  // namespace isotap::proxy
