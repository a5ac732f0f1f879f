"""Runs workloads over legs in turn, and judges what came out against goals.

A figure of one leg in one round is compared with the same figure of another leg in the same round;
only the median and the range over the rounds are reported. Absolute figures stay in the raw data.
"""
import dataclasses
import statistics
import sys
import typing

RATIO = "ratio"             # this leg's figure over the other's
DIFFERENCE = "difference"   # this leg's figure less the other's
PLAIN = "plain"             # this leg's figure


@dataclasses.dataclass(frozen=True)
class Figure:
    """How one measured number is shown: relative to the direct leg, or as it is."""
    name: str
    how: str
    unit: str = ""
    digits: int = 2


@dataclasses.dataclass(frozen=True)
class Goal:
    """The median of `figure` of `leg`, relative to the leg `against`, is within the bound."""
    figure: str
    leg: str
    how: str
    against: str = ""
    at_least: typing.Optional[float] = None
    at_most: typing.Optional[float] = None
    unit: str = ""


@dataclasses.dataclass(frozen=True)
class Workload:
    """measure(leg) runs it once and returns {figure name: number}; a figure that does not exist on
    a leg (the proxy's cost where there is no proxy) is left out."""
    name: str
    legs: tuple
    figures: tuple
    goals: tuple
    measure: typing.Callable


@dataclasses.dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float


class Result:
    """What a workload gave: a list of rounds, each {leg name: {figure name: number}}."""

    def __init__(self, workload):
        self.workload = workload
        self.rounds = []

    def spread(self, figure, how, leg, against):
        """None when no round has the numbers it takes."""
        values = [value for value in (compare(one, figure, how, leg, against)
                                      for one in self.rounds) if value is not None]
        if not values:
            return None
        return Spread(statistics.median(values), min(values), max(values))

    def judged(self):
        """(goal, spread, whether it is met) for each goal; None for what was not measured."""
        for goal in self.workload.goals:
            spread = self.spread(goal.figure, goal.how, goal.leg, goal.against)
            yield goal, spread, None if spread is None else is_met(goal, spread.median)


def compare(one_round, figure, how, leg, against):
    value = one_round.get(leg, {}).get(figure)
    if how == PLAIN or value is None:
        return value
    other = one_round.get(against, {}).get(figure)
    if other is None:
        return None
    if how == DIFFERENCE:
        return value - other
    return value / other if other else None


def is_met(goal, value):
    return ((goal.at_least is None or value >= goal.at_least)
            and (goal.at_most is None or value <= goal.at_most))


def run_workload(result, repetitions, legs):
    """Adds rounds to the result. Every other round runs backwards, so that a machine that gets
    slower or faster during the run favours nobody."""
    workload = result.workload
    for repetition in range(repetitions):
        order = workload.legs if repetition % 2 == 0 else tuple(reversed(workload.legs))
        figures = {}
        for name in order:
            figures[name] = workload.measure(legs[name])
            shown = ", ".join(f"{key} {value:.4g}" for key, value in figures[name].items())
            print(f"{workload.name}, round {repetition + 1}, {name}: {shown}", file=sys.stderr)
        result.rounds.append(figures)
