"""Results as Markdown for people and as JSON for scripts."""
import dataclasses
import json

from campaign import DIFFERENCE, RATIO

MET = {True: "met", False: "**missed**", None: "not measured"}


def markdown(title, machine, settings, results, base, judge):
    lines = [f"# {title}", ""]
    lines += [f"- {name}: {value}" for name, value in {**machine, **settings}.items()]
    lines += ["", "Median (lowest to highest) over the rounds. A ratio or a signed difference compares with"
              f" '{base}' of the same round.", ""]
    lines += measured_tables(results, base)
    lines += goal_table(results) if judge else ["Too short a run to judge goals by."]
    return "\n".join(lines) + "\n"


def measured_tables(results, base):
    """One table for each set of legs: not every workload makes sense on every leg."""
    lines = []
    for legs in dict.fromkeys(result.workload.legs for result in results):
        shown = [leg for leg in legs if leg != base]
        lines += [row(["workload", *shown]), row(["---"] * (len(shown) + 1))]
        for result in results:
            if result.workload.legs == legs:
                lines.append(row([result.workload.name,
                                  *(cell(result, leg, base) for leg in shown)]))
        lines.append("")
    return lines


def goal_table(results):
    lines = [row(["workload", "goal", "measured", ""]), row(["---"] * 4)]
    for result in results:
        for goal, spread, met in result.judged():
            lines.append(row([result.workload.name, goal_text(goal),
                              spread_text(spread, 2, goal.how) if spread else "", MET[met]]))
    return lines


def cell(result, leg, base):
    parts = []
    for figure in result.workload.figures:
        spread = result.spread(figure.name, figure.how, leg, base)
        if spread is not None:
            unit = f" {figure.unit}" if figure.unit else ""
            parts.append(spread_text(spread, figure.digits, figure.how) + unit)
    return "; ".join(parts)


def spread_text(spread, digits, how):
    form = f"{'+' if how == DIFFERENCE else ''}.{digits}f"
    return f"{spread.median:{form}} ({spread.low:{form}} to {spread.high:{form}})"


def goal_text(goal):
    relation, bound = ("≥", goal.at_least) if goal.at_least is not None else ("≤", goal.at_most)
    unit = f" {goal.unit}" if goal.unit else ""
    what = f"{goal.figure} of {goal.leg}"
    if goal.how == RATIO:
        return f"{what} {relation} {bound:g} × {goal.against}"
    if goal.how == DIFFERENCE:
        return f"{what} {relation} {goal.against} + {bound:g}{unit}"
    return f"{what} {relation} {bound:g}{unit}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def as_json(machine, settings, results):
    return json.dumps({
        "machine": machine,
        "settings": settings,
        "workloads": [{
            "name": result.workload.name,
            "rounds": result.rounds,
            "goals": [{**dataclasses.asdict(goal), "met": met,
                       "measured": spread and dataclasses.asdict(spread)}
                      for goal, spread, met in result.judged()],
        } for result in results],
    }, indent=1)
