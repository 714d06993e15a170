"""What a visitor's runs have reached: steps to an error, lowest errors, and test errors."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Grid, Readout, When
from lnviz.lessons.lab.desk import ERROR, GROUP, RATE, REACHED, SHOW, Desk
from lnviz.lessons.lab.drawing import known, steps_to
from lnviz.lessons.lab.trainings import Group, Trainings

WHEN: When = {SHOW.name: (REACHED,)}


def median(values: Float[Tensor, "*of runs"]) -> Float[Tensor, "*of"]:
    """The one in the middle, or the mean of the two there; infinite where one of them is.

    >>> median(torch.tensor([3.0, 1.0, torch.inf, 2.0])), median(torch.tensor([1.0, torch.inf]))
    (tensor(2.5000), tensor(inf))
    """
    ordered, count = values.sort(-1).values, values.shape[-1]
    return (ordered[..., (count - 1) // 2] + ordered[..., count // 2]) / 2


def put(desk: Desk) -> None:
    """What the tables and the sentences look up, norms x batch sizes."""
    runs = desk.runs
    error = runs.errors  # norms,sizes,rates,seeds,looked
    wanted = torch.tensor(desk.errors, dtype=error.dtype)
    steps = steps_to(error, wanted, runs.looked).movedim(3, 1)  # wanted,rates,norms,sizes,seeds
    slowest = steps.where(steps.isfinite(), -math.inf).amax(-1)
    found = {"median": median(steps), "fastest": steps.amin(-1), "slowest": slowest}
    over = (ERROR, RATE, GROUP)
    for name, values in found.items():
        desk.put(name, over, known(values).flatten(2), 1)
    desk.put("missing", over, steps.isinf().sum(-1).double().flatten(2), 0)
    desk.put("median of all", over[:2], known(found["median"]).flatten(2), 1)
    best = known(error.nan_to_num(math.inf).amin(-1))
    for name, values in (("best", best), ("tested", runs.tested)):
        each = values.movedim(2, 0)  # rates,norms,sizes,seeds
        low, high = each.aminmax(dim=-1)
        for end, value in (("", each.mean(-1)), (" low", low), (" high", high)):
            desk.put(f"{name}{end}", over[1:], value.flatten(1), 2)
        desk.put(f"{name} of all", over[1:2], each.mean(-1).flatten(1), 2)


def tables(desk: Desk) -> Iterator[Grid]:
    """Steps to the error, the lowest errors and the test errors."""
    runs = desk.runs
    over = f", mean of {runs.seeds} seeds" if runs.seeds > 1 else ""
    middle = f", median of {runs.seeds} seeds" if runs.seeds > 1 else ""
    begun = (*runs.ended, *runs.begun)
    best, tested = (
        float(desk.tensors[f"{name} of all"].values.nan_to_num().max()) or 1.0
        for name in ("best", "tested")
    )
    for title, tensor, reach, there, form in (
        (
            f"Steps to {{{ERROR}}} %{desk.at_rate}{middle}",
            "median of all",
            float(runs.steps[-1]),
            begun,
            "g4",
        ),
        (f"Lowest error, %{desk.at_rate}{over}", "best of all", best, begun, "2"),
        (f"Test error, %{desk.at_rate}{over}", "tested of all", tested, runs.ended, "2"),
    ):
        yield Grid(title, GROUP, reach, tensor, words=_dashes(runs, there), format=form, when=WHEN)


def _dashes(runs: Trainings, there: tuple[Group, ...]) -> tuple[str, ...]:
    cells = [(norm, size) for norm in runs.norms for size in runs.sizes]
    dashes = tuple("" if cell in there else "–" for cell in cells)
    return dashes if any(dashes) else ()


def words(desk: Desk) -> Iterator[Readout]:
    """What is said of the group pointed at."""
    runs = desk.runs
    cells = [(norm, size) for norm in runs.norms for size in runs.sizes]

    def at(groups: tuple[Group, ...]) -> When:
        return {**WHEN, GROUP: tuple(divmod(cells.index(g), len(runs.sizes)) for g in groups)}

    whose = f"{{{GROUP}}}{desk.at_rate}"
    for groups, so_far in ((runs.ended, ""), (runs.begun, " so far")):
        if groups:
            yield from _steps(desk, whose, at(groups), so_far)
            low = f", from {{best low:2}} to {{best high:2}} ({runs.seeds} seeds)"
            yield Readout(
                f"{whose}, lowest validation error{so_far}: {{best:2}} %"
                + (f" in the mean{low}." if runs.seeds > 1 else "."),
                when=at(groups),
                given="best",
            )
    if runs.ended:
        spread = ", from {tested low:2} to {tested high:2}" if runs.seeds > 1 else ""
        yield Readout(
            f"{whose}, test cases named wrong at the end: {{tested:2}} %"
            + (f" in the mean of {runs.seeds} seeds{spread}." if runs.seeds > 1 else "."),
            when=at(runs.ended),
            given="tested",
        )
        yield Readout(
            f"{whose}: a run has diverged, so that there is no test error of all runs.",
            when=at(runs.ended),
            lacking="tested",
        )
    nowhere = tuple(cell for cell in cells if cell not in runs.groups)
    for groups, said in (
        (runs.begun, "no test error: a run is tested once, when it has had all its steps."),
        (runs.waiting, "nothing is known of these runs so far."),
        (nowhere, "these runs do not exist, since one case has no spread about its own mean."),
    ):
        if groups:
            yield Readout(f"{{{GROUP}}}: {said}", when=at(groups))
    yield Readout(_method(runs), when=WHEN)


def _steps(desk: Desk, whose: str, when: When, so_far: str) -> Iterator[Readout]:
    wanted, seeds = f"{{{ERROR}}} %", desk.runs.seeds
    if seeds > 1:
        yield Readout(
            f"{whose}: {wanted} or less at step {{median:g4 value}} in the median (the fastest "
            f"run at {{fastest:0}}, the slowest that gets there at {{slowest:0}}); not "
            f"reached{so_far} by {{missing:0 value}} of {seeds} seeds.",
            "verdict",
            when,
            given="median",
        )
        yield Readout(
            f"{whose}: {wanted} or less at step {{fastest:0 value}} at the earliest; not "
            f"reached{so_far} by {{missing:0 value}} of {seeds} seeds, so that there is no median.",
            "verdict",
            when,
            given="fastest",
            lacking="median",
        )
    else:
        yield Readout(
            f"{whose}: {wanted} or less at step {{fastest:0 value}}.",
            "verdict",
            when,
            given="fastest",
        )
    whom = f"any of {seeds} seeds" if seeds > 1 else "the one run"
    yield Readout(
        f"{whose}: {wanted} are not reached{so_far} by {whom}.", "verdict", when, lacking="fastest"
    )


def _method(runs: Trainings) -> str:
    blank = (
        "A blank stands where too few runs get to the error for a median"
        if runs.seeds > 1
        else "A blank stands where the run does not get to the error"
    )
    if len(runs.ended) < len(runs.norms) * len(runs.sizes):
        blank += "; a dash where runs do not exist, or are not as far"
    times = "once" if len(runs.looked) == 1 else f"{len(runs.looked):,} times"
    return (
        f"{blank}. The error of a whole run is looked at {times}, so it may have been there "
        "before. The lowest of many is lower than what new cases would show: these are tested "
        "once, at the end."
    )
