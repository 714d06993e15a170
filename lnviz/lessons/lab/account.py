"""What is said of runs besides their numbers: what was asked for, and how far it is."""

from __future__ import annotations

from collections.abc import Iterator

from lnviz.explorable import Readout
from lnviz.lessons.filling import listed
from lnviz.lessons.lab.measures import label
from lnviz.lessons.lab.trainings import Trainings


def _in_turn(numbers: tuple[int, ...]) -> str:
    """Return whole numbers as a range, where they are one."""
    first, last = numbers[0], numbers[-1]
    is_range = len(numbers) > 2 and numbers == tuple(range(first, last + 1))
    return f"{first} to {last}" if is_range else listed(numbers)


def _steps(number: int) -> str:
    return f"{number:,} step{'s' * (number != 1)}"


def progress(runs: Trainings) -> Readout:
    """Return how many groups have ended, have only begun, and have no measurement."""
    count, ended = len(runs.groups), len(runs.ended)
    steps = _steps(runs.specification.steps)
    if ended == count:
        few = {1: "The one group has ended: it", 2: "Both groups have ended: each"}
        whole = few.get(count, f"All {count} groups have ended: each")
        return Readout(f"{whole} had its {steps} and was tested.")
    begun = [
        f"{label(norm)} in batches of {size} (last measured at step {runs.reached[norm, size]:,})"
        for norm, size in runs.begun
    ]
    have = "has" if ended == 1 else "have"
    one = "The one group has not ended"
    said = [one if count == 1 else f"{ended} of {count} groups {have} ended"]
    # Not "under way": who looks may have stopped them.
    said += [f"begun: {listed(begun)}"] if begun else []
    waiting = len(runs.waiting)
    said += [f"without a measurement so far: {waiting}"] if waiting else []
    return Readout(
        f"{'; '.join(said)}. A group is all runs of a norm and a batch size; each run has {steps}."
    )


def what(runs: Trainings) -> Iterator[Readout]:
    """Yield what was asked for, and with what it was made."""
    experiment, s = runs.experiment, runs.specification
    rates = (
        f"a learning rate of {s.rates[0]:g} for all"
        if len(s.rates) == 1
        else f"learning rates of {listed(f'{rate:g}' for rate in runs.rates)}"
    )
    seeds = f"seed{'s' * (len(s.seeds) > 1)} {_in_turn(s.seeds)}"
    file = f", the examples of file {s.file[:8]}" if s.file else ""
    before_softmax = s.head == "paper" and "batch" in s.norms
    head = "; BatchNorm stands before the softmax, too" if before_softmax else ""
    every = f"every {s.every:,}" if s.every > 1 else "at each"
    yield Readout(
        f"What is run: {experiment.label}{file}; {listed(map(label, s.norms))}; batches of "
        f"{listed(runs.sizes)}; Adam with {rates}, tuned for no norm; {seeds}; "
        f"{_steps(s.steps)}, measured {every}{head}. A seed decides the weights that a "
        "run starts from and the examples it draws, whatever the norm.",
        "method",
    )
    missing = [
        f"{label(norm)} in batches of {size}"
        for norm in s.norms
        for size in runs.sizes
        if (norm, size) not in runs.groups
    ]
    if missing:
        yield Readout(
            f"There is no {listed(missing)}: one example has no spread about its own mean, so each "
            "unit would put out its bias, whatever it has read."
        )
    if len(s.seeds) == 1:
        yield Readout(
            "One seed shows no spread: whether another one would turn the order of the norms "
            "cannot be told from these runs."
        )
    yield Readout(runs.results[0].header.made_with, "method")
