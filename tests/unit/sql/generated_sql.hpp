#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace isotap::sql {

/// Random statements over the tables `acc` and `kin`, of pieces that both dialects take, so that a
/// test knows which clauses it put in. The same seed gives the same statements.
class GeneratedSql {
  public:
    explicit GeneratedSql(std::uint32_t seed) : random_(seed) {}

    struct Select {
        std::string text;
        std::size_t items = 0;
        std::size_t relations = 0;
        std::string where;     ///< with its keyword; may be empty
        std::string order_by;  ///< the same
    };

    Select select(int depth = 2) {
        Select made;
        made.items = 1 + below(3);
        made.relations = 1 + below(3);
        made.text = "select";
        for (std::size_t i = 0; i < made.items; ++i) {
            made.text += (i == 0 ? "" : ",") + space() + expression(depth);
        }
        made.text += space() + "from" + space() + relation(depth, 0);
        for (std::size_t i = 1; i < made.relations; ++i) {
            made.text += below(2) == 0 ? space() + "," + space() + relation(depth, i)
                                       : space() + pick({"join ", "left join ", "inner join "}) +
                                             relation(depth, i) + " on " + condition(depth - 1);
        }
        if (below(2) == 0) {
            made.where = "where" + space() + condition(depth);
            made.text += space() + made.where;
        }
        if (below(3) == 0) {
            made.order_by = "order by" + space() + expression(0) + pick({"", " desc"});
            made.text += space() + made.order_by;
        }
        return made;
    }

    std::string space() {
        return pick({" ", "  ", "\n", "\t", " /* from where */ ", " -- order by\n"});
    }
    std::string number() { return pick({"1", "23", "456"}); }
    std::string string() { return pick({"'x'", "'it''s from'", "''"}); }

  private:
    std::string relation(int depth, std::size_t number) {
        const std::string alias = "r" + std::to_string(number);
        if (depth > 0 && below(4) == 0) {
            return "(" + select(depth - 1).text + ") as " + alias;
        }
        return pick({"acc", "kin", "s.acc"}) + space() + pick({"", "as "}) + alias;
    }

    std::string expression(int depth) {
        if (depth <= 0) {
            return pick({"r0.id", "bal", number(), string(), "null"});
        }
        switch (below(5)) {
            case 0: return "(" + expression(depth - 1) + " + " + number() + ")";
            case 1: return "coalesce(" + expression(depth - 1) + "," + string() + ")";
            case 2: return "case when " + condition(depth - 1) + " then 1 else 2 end";
            case 3: return "(" + select(depth - 1).text + ")";
            default: return expression(0);
        }
    }

    std::string condition(int depth) {
        if (depth <= 0) {
            return expression(0) + pick({" = ", " <> ", " < "}) + expression(0);
        }
        switch (below(5)) {
            case 0: return condition(depth - 1) + " and " + condition(depth - 1);
            case 1: return "(" + condition(depth - 1) + " or not " + condition(depth - 1) + ")";
            case 2: return "exists (" + select(depth - 1).text + ")";
            case 3: return expression(0) + " in (" + number() + ", " + number() + ")";
            default: return expression(0) + " between " + number() + " and " + number();
        }
    }

    std::size_t below(std::size_t bound) { return random_() % bound; }

    std::string pick(const std::vector<std::string>& choices) {
        return choices[below(choices.size())];
    }

    std::mt19937 random_;
};

}  // namespace isotap::sql
