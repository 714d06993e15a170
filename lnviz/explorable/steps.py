"""Steps of a figure's story: sentences, each with the state of the controls it describes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lnviz.explorable.controls import CellPicker, Control, Slider, exact_position, positions
from lnviz.explorable.template import parse_template, referenced_names

FEWEST, MOST = 2, 4


@dataclass(frozen=True)
class Step:
    """One step of a figure's story: a sentence, and the state of the controls at which it holds.

    Args:
        text: The sentence, a template as in `Readout`.
        values: The controls' values by name, of a slider the nearest position's; a control that is
            not named is at its start. A cell is named by its index, row by row from 0.
        about: The pictures that the sentence speaks of, counted from 1 over all views that are no
            sentences; the others are dimmed. Empty for all of them.
        location: The file and line of the sentence, for error messages.
        is_task: Whether it tells the reader to find a state of the figure.
    """

    text: str
    values: Mapping[str, Any] = field(default_factory=dict)
    about: tuple[int, ...] = ()
    location: str = ""
    is_task: bool = False

    def positions(self, controls: tuple[Control, ...]) -> dict[str, int]:
        """Return the position of each control in this step, keyed by control name.

        Raises:
            ValueError: There is no such control, or it has no such position.
        """
        known = {control.name: control for control in controls}
        if unknown := [name for name in self.values if name not in known]:
            raise ValueError(f"{self.location}: there is no {unknown}, only {[*known]}")
        try:
            named = {name: _position(known[name], value) for name, value in self.values.items()}
        except ValueError as error:
            raise ValueError(f"{self.location}: {error}") from error
        return positions(controls, lambda control: control.start_index) | named

    def payload(self, controls: tuple[Control, ...]) -> dict[str, Any]:
        """Return the step as JSON data (`Step` in `payload.d.ts`)."""
        return {
            "pieces": parse_template(self.text),
            "positions": self.positions(controls),
            "about": [view - 1 for view in self.about],
            "is_task": self.is_task,
        }


def _position(control: Control, value: Any) -> int:
    match control:
        case Slider():
            return control.index(value)
        case CellPicker():
            if value not in range(control.size):
                raise ValueError(f"{control.name!r} has {control.size} cells, none of them {value}")
            return int(value)
        case _:
            return exact_position(control, value)


def check_steps(
    steps: tuple[Step, ...], controls: tuple[Control, ...], tensors: set[str], pictures: int
) -> None:
    """Check the steps of a figure against its controls, tensors and views.

    Args:
        steps: The steps, in their order.
        controls: The figure's controls.
        tensors: The names of the figure's tensors.
        pictures: The number of the figure's views other than sentences.

    Raises:
        ValueError: There are too few or too many; the first is not the start state; two neighbors
            are the same; or a step names a control, value, tensor or picture that does not exist.
    """
    if not steps:
        return
    if not FEWEST <= len(steps) <= MOST:
        raise ValueError(
            f"{steps[0].location}: a figure has {FEWEST} to {MOST} steps, got {len(steps)}"
        )
    if steps[0].values:
        raise ValueError(
            f"{steps[0].location}: the first step is the state in which the figure opens, so it "
            f"names no control, got {dict(steps[0].values)}"
        )
    known = tensors | {control.name for control in controls}
    for step in steps:
        if unknown := [name for name in referenced_names(step.text) if name not in known]:
            raise ValueError(f"{step.location} names {unknown}, which do not exist")
        if beyond := [view for view in step.about if not 1 <= view <= pictures]:
            raise ValueError(f"{step.location} is about {beyond} of {pictures} pictures")
    states = [(step.positions(controls), step.about) for step in steps]
    for step, state, before in zip(steps[1:], states[1:], states, strict=False):
        if state == before:
            raise ValueError(f"{step.location}: a step changes a control, or what it is about")
