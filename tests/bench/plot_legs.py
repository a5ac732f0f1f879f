"""Draws the workloads of a benchmark: for each leg a bar for the median and a line for the range.

usage: plot_legs.py RESULT.json FIGURE      (./dev bench NAME --json RESULT.json)
"""
import json
import statistics
import sys
from xml.sax.saxutils import escape

BASE = "direct"
LABEL, PLOT, VALUE, RIGHT = 250, 420, 50, 20
BAR, GAP, TOP = 12, 12, 34
COLOURS = ("#1565c0", "#c62828", "#2e7d32", "#ef6c00", "#6a1b9a", "#00838f", "#5d4037")


def spreads(workload, figure, relative):
    """{leg: (median, low, high)} of a figure; relative to the direct leg of the same round, or not."""
    values = {}
    for one_round in workload["rounds"]:
        base = one_round.get(BASE, {}).get(figure)
        for leg, figures in one_round.items():
            if figure not in figures or (relative and (leg == BASE or not base)):
                continue
            values.setdefault(leg, []).append(figures[figure] / (base if relative else 1))
    return {leg: (statistics.median(all_), min(all_), max(all_)) for leg, all_ in values.items()}


def text(x, y, words, anchor="start", colour="#333"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'


def bar(y, scale, spread, colour):
    median, low, high = (value * scale for value in spread)
    middle = y + BAR / 2
    return (f'<rect x="{LABEL}" y="{y}" width="{median:.1f}" height="{BAR}" fill="{colour}"/>'
            f'<path d="M{LABEL + low:.1f} {middle} H{LABEL + high:.1f}" stroke="#222"/>'
            + text(LABEL + max(median, high) + 6, y + BAR - 2, f"{spread[0]:.3g}"))


def draw(result, figure, relative):
    shown = [(workload["name"], spreads(workload, figure, relative))
             for workload in result["workloads"]]
    shown = [(name, legs) for name, legs in shown if legs]
    colours = dict(zip(dict.fromkeys(leg for _, legs in shown for leg in legs), COLOURS * 3))
    most = max((spread[2] for _, legs in shown for spread in legs.values()), default=1) or 1
    width = LABEL + PLOT + VALUE + RIGHT
    parts, y = [], TOP
    for name, legs in shown:
        parts.append(text(LABEL - 8, y + BAR * len(legs) / 2 + 4, name, "end"))
        for leg, spread in legs.items():
            parts.append(bar(y, PLOT / most, spread, colours[leg]))
            y += BAR
        y += GAP
    x = 8
    for leg, colour in colours.items():
        parts.append(text(x, 18, leg, colour=colour))
        x += 9 * len(leg) + 12
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {max(width, x)} {y}" '
            f'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>'
            + "\n".join(parts) + "</svg>\n")


def main(file, figure):
    with open(file, encoding="utf-8") as source:
        sys.stdout.write(draw(json.load(source), figure, relative=figure == "throughput"))


if __name__ == "__main__":
    main(*sys.argv[1:])
