#include "tests/integration/sql_facts.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <climits>

#include "protocol/sql/name.hpp"
#include "protocol/sql/structure.hpp"

namespace isotap::sql {
namespace {

namespace json = boost::json;

std::string at(long place, const std::string& what) {
    return what + "@" + std::to_string(place);
}

/// Walks the tree of libpg_query.
class Walk {
  public:
    explicit Walk(Facts& facts) : facts_(facts) {}

    void value(const json::value& node) {
        if (const auto* list = node.if_array()) {
            for (const json::value& element : *list) {
                value(element);
            }
        } else if (const auto* object = node.if_object()) {
            for (const auto& [key, inner] : *object) {
                named(key, inner);
            }
        }
    }

  private:
    void named(std::string_view key, const json::value& node) {
        const auto* object = node.if_object();
        if (object != nullptr && key == "SelectStmt") {
            select(*object);
        } else if (object != nullptr && (key == "larg" || key == "rarg") &&
                   object->contains("op")) {
            select(*object);  // an arm of a set operation comes without its name
        } else if (object != nullptr && key == "MultiAssignRef") {
            // SET (a, b) = (…): the tree holds the source once for each column.
            if (object->at("colno").as_int64() == 1) {
                value(node);
            }
        } else if (object != nullptr && (key == "RangeVar" || key == "relation")) {
            table(*object);
        } else if (object != nullptr && key == "CommonTableExpr") {
            facts_.said.insert(at(place(*object), "cte " + text(*object, "ctename")));
            value(node);
        } else if (object != nullptr && key == "RangeSubselect") {
            facts_.said.insert("derived " + alias(*object));
            value(node);
        } else if (object != nullptr && (key == "RangeFunction" || key == "RangeTableFunc")) {
            facts_.said.insert("function " + alias(*object));
            value(node);
        } else if (object != nullptr && key == "FuncCall") {
            call(*object);
            value(node);
        } else if (object != nullptr && (key == "InsertStmt" || key == "UpdateStmt" ||
                                         key == "DeleteStmt" || key == "MergeStmt")) {
            write(key, *object);
        } else if (key == "lockingClause" || key == "intoClause") {
            clause(key == "lockingClause" ? "locking" : "into", nullptr);
        } else {
            value(node);
        }
    }

    void select(const json::object& node) {
        if (text(node, "op") == "SETOP_NONE") {
            items(node, "targetList");
        } else {
            clause("set operation", nullptr);
        }
        common(node);
        clause_of(node, "groupClause", "group by");
        clause_of(node, "havingClause", "having");
        clause_of(node, "windowClause", "window");
        if (node.contains("distinctClause")) {
            clause("distinct", nullptr);
        }
        if (node.contains("limitCount") || node.contains("limitOffset")) {
            clause("limit", nullptr);
        }
        value(node);
    }

    void write(std::string_view kind, const json::object& node) {
        clause(std::string(kind), nullptr);
        items(node, "returningList");
        common(node);
        if (kind == "UpdateStmt") {
            clause_of(node, "targetList", "set");
        }
        if (node.contains("onConflictClause")) {
            clause("conflict", nullptr);
        }
        if (node.contains("cols")) {
            clause_of(node, "cols", "columns");
        }
        value(node);
    }

    void common(const json::object& node) {
        clause_of(node, "whereClause", "where");
        clause_of(node, "sortClause", "order by");
        if (node.contains("withClause")) {
            clause("with", nullptr);
        }
    }

    void items(const json::object& node, std::string_view key) {
        const json::value* list = node.if_contains(key);
        if (list == nullptr) {
            return;
        }
        for (const json::value& element : list->as_array()) {
            const json::object& target = element.at("ResTarget").as_object();
            const long where = place(target);
            if (where >= 0) {  // TABLE name has an item that nobody wrote
                facts_.said.insert(at(where, "item " + star(target.at("val").as_object())));
            }
        }
    }

    static std::string star(const json::object& value) {
        std::string kind;
        const json::value* fields = nullptr;
        if (const auto* column = value.if_contains("ColumnRef")) {
            fields = column->as_object().if_contains("fields");
            kind = fields != nullptr && fields->as_array().size() == 1 ? "*" : "name.*";
        } else if (const auto* path = value.if_contains("A_Indirection")) {
            fields = path->as_object().if_contains("indirection");
            kind = "(..).*";
        }
        if (fields == nullptr || !fields->as_array().back().as_object().contains("A_Star")) {
            return "";
        }
        return kind;
    }

    void table(const json::object& node) {
        if (!node.contains("relname")) {
            value(node);
            return;
        }
        facts_.said.insert(at(place(node), "table " + text(node, "schemaname") + "." +
                                               text(node, "relname") + " " + alias(node)));
    }

    void call(const json::object& node) {
        const json::array& path = node.at("funcname").as_array();
        const std::string name(path.back().at("String").at("sval").as_string());
        if (is_builtin_aggregate(name, Dialect::postgres) && place(node) >= 0) {
            facts_.aggregates.insert(
                at(place(node), name + (node.contains("over") ? " over" : "")));
        }
    }

    void clause(const std::string& name, const json::value* node) {
        Facts::Extent extent;
        if (node != nullptr) {
            extent.first = LONG_MAX;
            widen(*node, extent);
            if (extent.last < 0) {
                extent.first = -1;
            }
        }
        facts_.clauses.emplace(name, extent);
    }

    void clause_of(const json::object& node, std::string_view key, const std::string& name) {
        if (const json::value* found = node.if_contains(key)) {
            clause(name, found);
        }
    }

    void widen(const json::value& node, Facts::Extent& extent) {
        if (const auto* list = node.if_array()) {
            for (const json::value& element : *list) {
                widen(element, extent);
            }
        } else if (const auto* object = node.if_object()) {
            for (const auto& [key, inner] : *object) {
                if (key == "location" && inner.as_int64() > 0) {
                    extent.first = std::min(extent.first, static_cast<long>(inner.as_int64()));
                    extent.last = std::max(extent.last, static_cast<long>(inner.as_int64()));
                } else {
                    widen(inner, extent);
                }
            }
        }
    }

    static std::string text(const json::object& node, std::string_view key) {
        const json::value* found = node.if_contains(key);
        return found == nullptr ? "" : std::string(found->as_string());
    }
    static std::string alias(const json::object& node) {
        const json::value* found = node.if_contains("alias");
        return found == nullptr ? "" : text(found->as_object(), "aliasname");
    }
    static long place(const json::object& node) {
        const json::value* found = node.if_contains("location");
        return found == nullptr ? 0 : static_cast<long>(found->as_int64());
    }

    Facts& facts_;
};

/// Reads our structure into facts.
class Ours {
  public:
    Ours(const TokenList& tokens, const Structure& structure, Facts& facts)
        : tokens_(tokens), structure_(structure), facts_(facts) {}

    void collect() {
        for (const Relation& relation : structure_.relations) {
            add(relation);
        }
        for (const Item& item : structure_.items) {
            constexpr const char* stars[] = {"", "*", "name.*", "(..).*"};
            facts_.said.insert(at(begin(item.all.first),
                                  std::string("item ") + stars[static_cast<int>(item.star)]));
        }
        for (const Cte& cte : structure_.ctes) {
            facts_.said.insert(at(begin(cte.name), "cte " + name(cte.name)));
        }
        for (const Query& query : structure_.queries) {
            add(query);
        }
        for (const Block& block : structure_.blocks) {
            add(block);
        }
        for (const Call& call : structure_.calls) {
            const std::string called = name(call.name);
            if (is_builtin_aggregate(called, Dialect::postgres)) {
                facts_.aggregates.insert(
                    at(begin(chain_start(call.name)), called + (call.window ? " over" : "")));
            }
        }
    }

  private:
    void add(const Relation& relation) {
        if (relation.role == RelationRole::ddl) {
            return;
        }
        const std::string alias = relation.alias == no_token ? "" : name(relation.alias);
        if (relation.kind == RelationKind::table) {
            const std::string schema = relation.schema == no_token ? "" : name(relation.schema);
            facts_.said.insert(at(begin(chain_start(relation.name)),
                                  "table " + schema + "." + name(relation.name) + " " + alias));
        } else {
            facts_.said.insert((relation.kind == RelationKind::derived ? "derived " : "function ") +
                               alias);
        }
    }

    void add(const Query& query) {
        clause("with", query.with);
        clause("order by", query.order_by);
        clause("locking", query.locking);
        clause("limit", query.limit);
        for (BlockId arm = query.body; arm != no_node; arm = structure_.blocks[arm].next_arm) {
            if (structure_.blocks[arm].next_arm != no_node) {
                facts_.clauses.emplace("set operation", Facts::Extent{});
            }
        }
    }

    void add(const Block& block) {
        clause("where", block[Clause::where]);
        clause("group by", block[Clause::group_by]);
        clause("having", block[Clause::having]);
        clause("window", block[Clause::window]);
        clause("distinct", block[Clause::distinct]);
        clause("into", block[Clause::into]);
        clause("columns", block[Clause::columns]);
        clause("conflict", block[Clause::conflict]);
        switch (block.kind) {
            case BlockKind::insert: clause("InsertStmt", block.all); break;
            case BlockKind::update:
                clause("UpdateStmt", block.all);
                clause("set", block[Clause::set]);
                break;
            case BlockKind::remove: clause("DeleteStmt", block.all); break;
            case BlockKind::merge: clause("MergeStmt", block.all); break;
            default: break;
        }
    }

    void clause(const std::string& what, const TokenRange& range) {
        if (!range.empty()) {
            facts_.clauses.emplace(what, Facts::Extent{begin(range.first), begin(range.last - 1)});
        }
    }

    TokenIndex chain_start(TokenIndex token) const {
        while (token >= 2 && tokens_[token - 1].is(TokenKind::dot)) {
            token -= 2;
        }
        return token;
    }
    long begin(TokenIndex token) const { return static_cast<long>(tokens_[token].begin); }
    std::string name(TokenIndex token) const {
        return name_of(tokens_.text(token), Dialect::postgres);
    }

    const TokenList& tokens_;
    const Structure& structure_;
    Facts& facts_;
};

std::string missing(const std::multiset<std::string>& from, const std::multiset<std::string>& in,
                    const std::string& whose) {
    std::string lines;
    std::vector<std::string> only;
    std::set_difference(from.begin(), from.end(), in.begin(), in.end(), std::back_inserter(only));
    for (const std::string& fact : only) {
        lines += "    only " + whose + ": " + fact + "\n";
    }
    return lines;
}

}  // namespace

Facts facts_of_postgres(std::string_view tree) {
    Facts facts;
    json::parse_options options;
    options.max_depth = 1000;
    const json::value parsed = json::parse(tree, {}, options);
    for (const json::value& statement : parsed.at("stmts").as_array()) {
        const json::object& node = statement.at("stmt").as_object();
        for (const std::string_view kind :
             {"SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"}) {
            facts.touches_rows = facts.touches_rows || node.contains(kind);
        }
        if (facts.touches_rows) {
            Walk(facts).value(node);
        }
    }
    return facts;
}

Facts facts_of_ours(std::string_view statement, std::string& doubt) {
    LexerState state;
    state.dialect = Dialect::postgres;
    TokenList tokens;
    tokens.read(statement, state);
    Structure structure;
    parse(tokens, state, structure);
    doubt = structure.doubt;
    Facts facts;
    Ours(tokens, structure, facts).collect();
    return facts;
}

std::string difference(const Facts& ours, const Facts& theirs) {
    std::string lines = missing(ours.said, theirs.said, "ours") +
                        missing(theirs.said, ours.said, "theirs") +
                        missing(theirs.aggregates, ours.aggregates, "theirs");
    for (auto it = theirs.clauses.begin(); it != theirs.clauses.end(); ++it) {
        const auto [from, to] = ours.clauses.equal_range(it->first);
        const Facts::Extent& extent = it->second;
        const bool found = std::any_of(from, to, [&](const auto& clause) {
            return extent.last < 0 || clause.second.last < 0 ||
                   (clause.second.first <= extent.first && extent.last <= clause.second.last);
        });
        if (!found) {
            lines += "    only theirs: " + it->first + " " + std::to_string(extent.first) + ".." +
                     std::to_string(extent.last) + "\n";
        }
        if (ours.clauses.count(it->first) != theirs.clauses.count(it->first)) {
            lines += "    another number of: " + it->first + "\n";
        }
    }
    for (const auto& clause : ours.clauses) {
        if (theirs.clauses.count(clause.first) == 0) {
            lines += "    only ours: " + clause.first + "\n";
        }
    }
    return lines;
}

}  // namespace isotap::sql
