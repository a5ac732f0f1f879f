#include "analysis/report/explanation.hpp"

namespace isotap::analysis {

namespace {

std::string row_of(const CycleEdge& edge, const Names& names) {
    const std::string table = names.table(edge.table);
    return table.empty() ? "key " + names.row(edge.table, edge.row)
                         : "row " + names.row(edge.table, edge.row) + " of " + table;
}

/// Where a condition looked for rows.
std::string searched(const CycleEdge& edge, const Names& names) {
    const std::string table = names.table(edge.table);
    return table.empty() ? " searched" : " searched " + table;
}

std::string in_brackets(const std::string& text) {
    return text.empty() ? "" : " (" + text + ")";
}

std::string value_of(const CycleEdge& edge, const Names& names) {
    return in_brackets(names.value(edge.version));
}

/// What is wrong where no cycle is: one read that should not have been.
std::string sentence_of(AnomalyType type, const CycleEdge& edge, const Names& names) {
    const std::string reader = names.transaction(edge.to);
    const std::string writer = names.transaction(edge.from);
    const std::string row = row_of(edge, names);
    const std::string value = value_of(edge, names);
    switch (type) {
        case AnomalyType::g1a:
            return reader + " read " + row + " as " + writer + " left it" + value + ", but " +
                   writer + " was aborted";
        case AnomalyType::g1b:
            return reader + " read " + row + " as " + writer + " had it in between" + value + ": " +
                   writer + " wrote it again before it committed";
        case AnomalyType::internal:
            return reader + " wrote " + row + " itself and then read something else there";
        case AnomalyType::future_read:
            return reader + " read " + row + " as it wrote it only later itself" + value;
        case AnomalyType::garbage_read:
            return reader + " read something in " + row + " that nobody wrote";
        case AnomalyType::dirty_update:
            return reader + " wrote " + row + " on top of what " + writer + " wrote" + value +
                   ", but " + writer + " was aborted";
        case AnomalyType::incompatible_order:
            return row + " has two versions that both follow the same one" + value + ": " + reader +
                   " saw or made one of them";
        case AnomalyType::duplicate_elements:
            return reader + " saw one version of " + row + " twice" + value;
        case AnomalyType::non_repeatable_read:
            return reader + " read " + row + " as " + writer + " left it" + value;
        default: return reason_of(edge, names);
    }
}

bool is_cycle(const Anomaly& anomaly) {
    const auto& edges = anomaly.edges;
    if (edges.size() < 2) {
        return false;
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edges[i].to != edges[(i + 1) % edges.size()].from) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::string title_of(const Anomaly& anomaly) {
    const std::string name = name_of(anomaly.kind);
    const std::string plain(plain_name(anomaly));
    return plain.empty() || plain == name ? name : name + " (" + plain + ")";
}

std::string reason_of(const CycleEdge& edge, const Names& names) {
    const std::string from = names.transaction(edge.from);
    const std::string to = names.transaction(edge.to);
    if (edge.emptied) {
        return from + (edge.kind == EdgeKind::ww ? " wrote " : " read ") + row_of(edge, names) +
               value_of(edge, names) + " before " + to + " emptied the table";
    }
    switch (edge.kind) {
        case EdgeKind::ww:
            return to + " overwrote " + row_of(edge, names) + " as " + from + " left it" +
                   value_of(edge, names);
        case EdgeKind::wr:
            return edge.predicate ? to + searched(edge, names) + " and met " + row_of(edge, names) +
                                        " as " + from + " left it"
                                  : to + " read " + row_of(edge, names) + " as " + from +
                                        " left it" + value_of(edge, names);
        case EdgeKind::rw:
            return edge.predicate ? from + searched(edge, names) + " before " + to + " changed " +
                                        row_of(edge, names)
                                  : from + " read " + row_of(edge, names) + " before " + to +
                                        " changed it" + value_of(edge, names);
        case EdgeKind::session: return from + " ended before " + to + " began, in one session";
        case EdgeKind::real_time: return from + " ended before " + to + " began";
    }
    return "";
}

std::vector<std::string> explain(const Anomaly& anomaly, const Names& names) {
    std::vector<std::string> sentences;
    const bool cycle = is_cycle(anomaly);
    for (std::size_t i = 0; i < anomaly.edges.size(); ++i) {
        const CycleEdge& edge = anomaly.edges[i];
        if (!cycle) {
            sentences.push_back(sentence_of(anomaly.kind.type, edge, names) + ".");
            continue;
        }
        const bool closes = i + 1 == anomaly.edges.size();
        sentences.push_back((closes ? "However " : "") + names.transaction(edge.from) + " < " +
                            names.transaction(edge.to) + ", because " + reason_of(edge, names) +
                            (closes ? ": a contradiction." : "."));
    }
    return sentences;
}

}  // namespace isotap::analysis
