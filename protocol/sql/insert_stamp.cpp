#include "protocol/sql/insert_stamp.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/user_variables.hpp"

namespace isotap::sql {
namespace {

class InsertStamp {
  public:
    InsertStamp(Draft& draft, const Block& block, const Table& table, const std::string& row_id)
        : draft_(draft),
          block_(block),
          table_(table),
          columns_(draft.quote(table.writers) +
                   (row_id.empty() ? "" : ", " + draft.quote(table.row_id))),
          row_id_(row_id.empty() ? "" : ", " + row_id) {}

    StampedInsert run() {
        const TokenRange source = block_[Clause::source];
        const Token& first = draft_.tokens[source.first];
        if (first.is(Keyword::set)) {
            assignments(source);
        } else if (first.is(Keyword::values) || first.is(Keyword::value)) {
            name_columns();
            rows({source.first + 1, source.last});
        } else {
            name_columns();
            query();
        }
        return made_;
    }

  private:
    void assignments(TokenRange source) {
        made_.rows = 1;
        made_.sets_insert_id = !table_.auto_increment.empty();
        const std::string name =
            row_id_.empty() ? "" : ", " + draft_.quote(table_.row_id) + "=" + row_id_.substr(2);
        draft_.insert_stamped(source.last, ", " + draft_.quote(table_.writers) + "=", name + " ");
    }

    /// The list of columns grows by wList; where there is none, all of them are named.
    void name_columns() {
        const TokenRange list = block_[Clause::columns];
        if (!list.empty()) {
            made_.sets_insert_id = names(list, table_.auto_increment);
            const bool bare = list.size() == 2;
            names_none_ = bare;
            draft_.insert(list.last - 1, (bare ? "" : ", ") + columns_);
            return;
        }
        made_.sets_insert_id = !table_.auto_increment.empty();
        std::string columns = " (";
        named_ = table_.columns.size();
        if (!inserts_defaults()) {
            for (const std::string& column : table_.columns) {
                columns += draft_.quote(column) + ", ";
            }
        }
        draft_.insert(block_[Clause::source].first, columns + columns_ + ") ");
    }

    /// VALUES (): every column has its default.
    [[nodiscard]] bool inserts_defaults() const {
        const TokenIndex values = block_[Clause::source].first;
        return draft_.tokens[values + 1].is(TokenKind::open_paren) &&
               draft_.tokens[values + 2].is(TokenKind::close_paren);
    }

    [[nodiscard]] bool names(TokenRange list, const std::string& column) const {
        for (TokenIndex i = list.first; i < list.last && !column.empty(); ++i) {
            if (same_word(draft_.name(i), column)) {
                return true;
            }
        }
        return false;
    }

    void rows(TokenRange list) {
        std::size_t depth = 0;
        std::size_t values = 1;
        for (TokenIndex i = list.first; i < list.last; ++i) {
            if (draft_.tokens[i].is(TokenKind::open_paren)) {
                ++depth;
            } else if (draft_.tokens[i].is(TokenKind::comma) && depth == 1) {
                ++values;
            } else if (draft_.tokens[i].is(TokenKind::close_paren) && --depth == 0) {
                const bool bare = draft_.tokens[i - 1].is(TokenKind::open_paren);
                draft_.insert_stamped(i, bare ? "" : ", ", row_id_);
                if (!bare && (names_none_ || (named_ != 0 && values != named_))) {
                    // Columns that the client has made invisible get no value, by position; and
                    // MariaDB takes () for a list of all columns where there are values.
                    made_.obstacle = "values for some columns";
                }
                ++made_.rows;
                values = 1;
            }
        }
    }

    void query() {
        for (const Query& query : draft_.structure.queries) {
            if (query.role != QueryRole::source) {
                continue;
            }
            const Block& body = draft_.structure.blocks[query.body];
            if (query.operation != SetOperation::none || body.kind != BlockKind::select ||
                body.has(Clause::into) || !body.has(Clause::items)) {
                made_.obstacle = "insert from a set operation";
                return;
            }
            stamp_rows_of(body);
            return;
        }
        made_.obstacle = "source of an insert";
    }

    /// The stamp; in making it, the row that is inserted from is noted in a variable, which each
    /// returned row reads and empties. A row of the source is read once, by the INSERT itself.
    void stamp_rows_of(const Block& body) {
        Quoting text;
        text.add(", ");
        if (row_id_.empty()) {
            made_.read = readable(body);
        } else if (!is_direct(body)) {
            made_.obstacle = "insert from select";
            return;
        }
        if (made_.read.empty()) {
            text.stamp();
            text.add(row_id_);
        } else {
            text.add("concat(");
            text.stamp();
            for (std::size_t i = 0; i < made_.read.size(); ++i) {
                note_row(i, *made_.read[i], text);
            }
            text.add(")");
        }
        text.add(" ");
        draft_.insert_quoting(body[Clause::items].last, std::move(text));
    }

    /// What an earlier statement has left in the variable is dropped at the first row. Variables
    /// are named in assignments first: one that is not there yet would count as a constant.
    void note_row(std::size_t number, const Relation& relation, Quoting& text) {
        std::string_view why;
        const Table& table = *draft_.table(relation, why);
        const std::string name = std::to_string(number);
        const std::string qualifier = draft_.qualifier(relation) + ".";
        const std::string read = "@isotap_read" + name;
        const std::string reader = "@isotap_reader" + name;
        text.add(",convert(left(if(0," + in_ascii("concat(" + read + ":=''," + reader + ":='')") +
                 ",convert(" + read + ":=concat_ws('',if(binary " + reader + "<=>binary ");
        text.stamp();
        text.add("," + in_ascii(read) + ",convert(left(" + reader + ":=");
        text.stamp();
        text.add(",0) using ascii)),concat(ifnull(" + qualifier + draft_.quote(table.row_id) +
                 ",''),'='," + qualifier + draft_.quote(table.writers) +
                 ",';')) using ascii)),0) using ascii)");
    }

    [[nodiscard]] bool has_window(BlockId block) const {
        return std::any_of(
            draft_.structure.calls.begin(), draft_.structure.calls.end(),
            [block](const Call& call) { return call.block == block && call.window; });
    }

    /// Nothing stands between the reading of a row and its insertion.
    [[nodiscard]] bool is_direct(const Block& body) const {
        const Query& query = draft_.structure.queries[body.query];
        const BlockId id = draft_.structure.id_of(body);
        return !body.has(Clause::distinct) && !is_grouped(draft_, id) && query.limit.empty() &&
               query.order_by.empty() && query.with.empty() && !has_window(id);
    }

    /// The relations whose rows can be noted: all of the source, or none.
    [[nodiscard]] std::vector<const Relation*> readable(const Block& body) const {
        const BlockId id = draft_.structure.id_of(body);
        std::vector<const Relation*> found;
        for (const Relation& relation : draft_.structure.relations) {
            if (relation.block != id) {
                continue;
            }
            std::string_view why;
            const Table* table = draft_.table(relation, why);
            if (!is_direct(body) || table == nullptr || table->identity == table_.identity) {
                return {};
            }
            found.push_back(&relation);
        }
        return found;
    }

    Draft& draft_;
    const Block& block_;
    const Table& table_;
    std::string columns_;      ///< that every row gets a value for, from us
    std::string row_id_;       ///< behind the stamp
    std::size_t named_ = 0;    ///< columns that we had to name
    bool names_none_ = false;  ///< the list is there and empty
    StampedInsert made_;
};

}  // namespace

StampedInsert stamp_mysql_insert(Draft& draft, const Block& block, const Table& table,
                                 const std::string& row_id) {
    return InsertStamp(draft, block, table, row_id).run();
}

}  // namespace isotap::sql
