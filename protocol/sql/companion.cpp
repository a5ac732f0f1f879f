#include "protocol/sql/companion.hpp"

#include <string>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/deciding.hpp"
#include "protocol/sql/told.hpp"
#include "protocol/sql/user_variables.hpp"

namespace isotap::sql {
namespace {

/// Behind the client's statement, where it is wrapped.
constexpr std::string_view closing = ") as isotap_o";

}  // namespace

Quoting Companions::source_of(BlockId id) const {
    const Block& block = draft_.structure.blocks[id];
    Quoting text;
    text.add(" ");
    if (block.kind == BlockKind::table) {
        text.add("from ");
        text.quote({block.all.first + 1, block.all.last});
    } else {
        text.quote(block[Clause::from]);
        add_condition(block, text);
    }
    text.add(" ");
    return text;
}

/// ` where …`. EXISTS (… LIMIT 0) reads nothing, and a plan holds for every number.
void Companions::add_condition(const Block& block, Quoting& text) const {
    const TokenRange where = block[Clause::where];
    const TokenRange limit = draft_.structure.queries[block.query].limit;
    if (!only_exists(draft_, block.query)) {
        text.add(where.empty() ? "" : " ");
        text.quote(where);
        return;
    }
    text.add(" where ");
    if (!where.empty()) {
        text.add("(");
        text.quote({where.first + 1, where.last});
        text.add(") and ");
    }
    text.quote({limit.first + 1, limit.last});
    text.add(" > 0");
}

void Companions::read_beside(QueryId query) {
    for (const BlockId arm : arms_of(draft_.structure, query)) {
        beside_.push_back({arm, no_node});
    }
}

void Companions::read_deciding(QueryId query) {
    for (const BlockId arm : arms_of(draft_.structure, query)) {
        beside_.push_back({arm, query});
    }
}

/// A variable of the session remembers which statement has been told of already. Named in an
/// assignment first: one that is not there yet would count as a constant.
Quoting Companions::told_once(const Quoting& column) const {
    const std::string mark = "@isotap_told" + std::to_string(draft_.plan.added.size());
    Quoting once;
    once.add("if(0," + in_ascii(mark + ":=''") + ",if(binary " + mark + "<=>binary ");
    once.stamp();
    // In the character set of what follows: that of the session may not go together with it.
    once.add(",null,concat(convert(left(" + mark + ":=");
    once.stamp();
    once.add(",0) using ascii),");
    once.add(column);
    once.add(")))");
    return once;
}

void Companions::read_in_list(QueryId query, const Block& block, bool once) {
    Quoting list;
    for (const BlockId arm : arms_of(draft_.structure, query)) {
        for (const Relation& relation : draft_.structure.relations) {
            if (relation.block != arm) {
                continue;
            }
            std::string_view why;
            std::vector<Told> rows;
            tell_rows(draft_, *draft_.table(relation, why), draft_.qualifier(relation),
                      history::AccessKind::read, rows);
            Told told = packed(rows, draft_.state.dialect).front();
            const bool by_mark = once && draft_.state.mariadb;
            if (once && !by_mark) {
                told = if_short(std::move(told));
            }
            Quoting column;
            column.add("(select " + told.text);
            column.add(source_of(arm));
            column.add(")");
            list.add(draft_.added(told.role, told.table, by_mark ? told_once(column) : column));
        }
    }
    draft_.packs = draft_.packs || !list.text.empty();
    list.add(" ");
    draft_.insert_quoting(block[Clause::items].last, std::move(list));
}

/// SELECT o.*, first row only: what was read FROM (the statement) o CROSS JOIN (what was read). In
/// a derived table of its own no name of ours is in scope where the client's text is repeated.
void Companions::wrap() {
    Quoting head;
    Quoting tail;
    head.add("select isotap_o.*");
    tail.add(closing);
    for (const Beside& one : beside_) {
        tail.add(beside(one, head));
    }
    if (tail.text == closing) {
        return;
    }
    head.add(" from (");
    draft_.insert_quoting(0, std::move(head));
    draft_.insert_quoting(draft_.structure.queries[draft_.structure.top].all.last, std::move(tail));
}

/// What a subquery finds for each row of the block around it whose fate it decides, each row of its
/// own once. LATERAL stands for the place that it has in the condition, so that its names mean what
/// they mean there. `rows` get the names that they have then.
Quoting Companions::decided_by(const Beside& one, std::vector<Told>& rows) const {
    const Block& around = draft_.structure.blocks[draft_.structure.queries[one.deciding].parent];
    TokenRange where = around[Clause::where];
    ++where.first;
    const std::string found = "isotap_l" + std::to_string(one.block);
    std::string list;
    std::string names;
    for (Told& row : rows) {
        const std::string name = "isotap_c" + std::to_string(&row - rows.data());
        list.append(list.empty() ? "" : ", ").append(row.text).append(" as ").append(name);
        names.append(names.empty() ? "" : ", ").append(found).append(".").append(name);
        row.text = "isotap_d." + name;
    }
    Quoting source;
    source.add(" from (select distinct " + names + " ");
    source.quote(around[Clause::from]);
    source.add(", lateral (select " + list);
    source.add(source_of(one.block));
    source.add(") as " + found);
    source.add(where_it_decides(draft_, where, exists_around(draft_, one.deciding)));
    source.add(") as isotap_d");
    return source;
}

/// The rows of one block, packed, with their columns in `head`.
Quoting Companions::beside(const Beside& one, Quoting& head) {
    std::vector<Told> rows;
    for (const Relation& relation : draft_.structure.relations) {
        std::string_view why;
        if (relation.block == one.block) {
            tell_rows(draft_, *draft_.table(relation, why), draft_.qualifier(relation),
                      history::AccessKind::read, rows);
        }
    }
    Quoting source;
    if (rows.empty()) {
        return source;
    }
    const std::string alias = "isotap_b" + std::to_string(one.block);
    source = one.deciding != no_node ? decided_by(one, rows) : source_of(one.block);
    Quoting text;
    text.add(" cross join (select ");
    std::size_t column = 0;
    for (const Told& told : packed(rows, draft_.state.dialect)) {
        const std::string name = "isotap_" + std::to_string(column);
        text.add(column++ == 0 ? "" : ", ");
        text.add(told.text);
        text.add(" as ");
        text.add(name);
        Quoting once;
        once.add("case when row_number() over () = 1 then ");
        once.add(alias);
        once.add(".");
        once.add(name);
        once.add(" end");
        head.add(draft_.added(told.role, told.table, once));
    }
    text.add(source);
    text.add(") as " + alias);
    return text;
}

}  // namespace isotap::sql
