// Any statement: every range of the structure lies within the tokens, every index names a node,
// and a predicate is a part of the text.
#include <cstdint>
#include <cstdlib>

#include "protocol/sql/predicate.hpp"
#include "protocol/sql/structure.hpp"
#include "tests/fuzz/sql_input.hpp"

namespace {

namespace sql = isotap::sql;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void check(const sql::Structure& structure, sql::TokenIndex tokens) {
    const auto lies = [tokens](const sql::TokenRange& range) {
        return range.empty() || range.last <= tokens;
    };
    for (const sql::Query& query : structure.queries) {
        require(lies(query.all) && lies(query.with) && lies(query.order_by) && lies(query.limit) &&
                lies(query.locking));
        require(query.body == sql::no_node || query.body < structure.blocks.size());
        require(query.parent == sql::no_node || query.parent < structure.blocks.size());
    }
    for (const sql::Block& block : structure.blocks) {
        require(block.query < structure.queries.size() && lies(block.all));
        require(block.next_arm == sql::no_node || block.next_arm < structure.blocks.size());
        for (const sql::TokenRange& clause : block.clauses) {
            require(lies(clause));
        }
    }
    for (const sql::Relation& relation : structure.relations) {
        require(relation.block < structure.blocks.size() && lies(relation.all));
        require(relation.alias == sql::no_token || relation.alias < tokens);
        require(relation.kind != sql::RelationKind::table || relation.name < tokens ||
                !structure.sure());
    }
    for (const sql::Item& item : structure.items) {
        require(item.block < structure.blocks.size() && lies(item.all));
    }
    for (const sql::Call& call : structure.calls) {
        require(call.block < structure.blocks.size() && call.name < tokens);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = sql::fuzz_input({data, size});
    static sql::TokenList tokens;
    static sql::Structure structure;
    tokens.read(input.text, input.state);
    sql::parse(tokens, input.state, structure);
    check(structure, tokens.size());
    sql::Predicate predicate;
    if (sql::predicate_of(tokens, structure, input.state, predicate) == sql::PredicateDoubt::none) {
        require(input.text.find(predicate.condition) != std::string_view::npos);
    }
    return 0;
}
