#include "analysis/report/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "analysis/report/explanation.hpp"

namespace isotap::analysis {

namespace {

struct Point {
    double x = 0;
    double y = 0;
};

std::string label_of(const CycleEdge& edge, const Names& names) {
    std::string label(to_string(edge.kind));
    const bool on_a_row =
        edge.kind == EdgeKind::ww || edge.kind == EdgeKind::wr || edge.kind == EdgeKind::rw;
    return on_a_row ? label + " " + names.row(edge.table, edge.row) : label;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c == '\n' ? ' ' : c;
    }
    return out + "\"";
}

std::string_view colour(EdgeKind kind) {
    switch (kind) {
        case EdgeKind::ww: return "#8a2be2";
        case EdgeKind::wr: return "#1565c0";
        case EdgeKind::rw: return "#c62828";
        case EdgeKind::session:
        case EdgeKind::real_time: return "#616161";
    }
    return "#000000";
}

/// An arrow that bends outwards, so that two between the same circles do not lie on each other.
std::string arrow(Point from, Point to, double radius, const CycleEdge& edge, const Names& names) {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    if (length == 0) {
        return "";
    }
    const Point along{(to.x - from.x) / length, (to.y - from.y) / length};
    const double bend = length / 5;
    const Point middle{(from.x + to.x) / 2 + along.y * bend, (from.y + to.y) / 2 - along.x * bend};
    const Point start{from.x + along.x * radius, from.y + along.y * radius};
    const Point end{to.x - along.x * (radius + 6), to.y - along.y * (radius + 6)};
    const std::string_view paint = colour(edge.kind);
    const Point text{(from.x + to.x) / 2 + along.y * bend * 0.7,
                     (from.y + to.y) / 2 - along.x * bend * 0.7};
    return fmt::format(
        R"(<path d="M{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}" fill="none" stroke="{}")"
        R"~( stroke-width="2" marker-end="url(#head)"/>)~"
        R"(<text x="{:.1f}" y="{:.1f}" fill="{}" text-anchor="middle">{}</text>)",
        start.x, start.y, middle.x, middle.y, end.x, end.y, paint, text.x, text.y, paint,
        escaped(label_of(edge, names)));
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default:
                // XML has no place for control characters.
                out += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? '?' : c;
        }
    }
    return out;
}

std::string dot_of(const Anomaly& anomaly, const Names& names) {
    std::string dot =
        "digraph anomaly {\n  label=" + quoted(title_of(anomaly)) + ";\n  node [shape=box];\n";
    for (const InvolvedTransaction& transaction : anomaly.transactions) {
        const std::string name = names.transaction(transaction.id);
        std::string text = name;
        for (const NamedStatement& statement : names.statements(transaction.id)) {
            text += "; " + statement.text;
        }
        dot += "  " + quoted(name) + " [label=" + quoted(text) + "];\n";
    }
    for (const CycleEdge& edge : anomaly.edges) {
        dot += "  " + quoted(names.transaction(edge.from)) + " -> " +
               quoted(names.transaction(edge.to)) + " [label=" + quoted(label_of(edge, names)) +
               ", tooltip=" + quoted(reason_of(edge, names)) + "];\n";
    }
    return dot + "}\n";
}

std::string svg_of(const Anomaly& anomaly, const Names& names) {
    constexpr double node_radius = 26;
    const auto count = anomaly.transactions.size();
    const double radius = std::max(90.0, static_cast<double>(count) * 32.0);
    const double middle = radius + node_radius + 40;
    const auto place = [&](std::size_t i) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i) /
                                 static_cast<double>(std::max<std::size_t>(count, 1)) -
                             std::numbers::pi / 2;
        return Point{middle + radius * std::cos(angle), middle + radius * std::sin(angle)};
    };
    const auto place_of = [&](history::TransactionId id) {
        const auto at = std::find_if(anomaly.transactions.begin(), anomaly.transactions.end(),
                                     [&](const auto& other) { return other.id == id; });
        return place(static_cast<std::size_t>(at - anomaly.transactions.begin()));
    };
    std::string svg = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{0:.0f}")"
        R"( font-family="sans-serif" font-size="13"><defs><marker id="head" orient="auto")"
        R"( markerWidth="8" markerHeight="8" refX="6" refY="3"><path d="M0 0L7 3L0 6z"/></marker>)"
        R"(</defs>)",
        2 * middle);
    for (const CycleEdge& edge : anomaly.edges) {
        svg += arrow(place_of(edge.from), place_of(edge.to), node_radius, edge, names);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const Point at = place(i);
        svg +=
            fmt::format(R"(<circle cx="{0:.1f}" cy="{1:.1f}" r="{2}" fill="#fff" stroke="#333"/>)"
                        R"(<text x="{0:.1f}" y="{3:.1f}" text-anchor="middle">{4}</text>)",
                        at.x, at.y, node_radius, at.y + 5,
                        escaped(names.transaction(anomaly.transactions[i].id)));
    }
    return svg + "</svg>";
}

}  // namespace isotap::analysis
