"""Controls of a figure (sliders, choices, cell pickers), each with finitely many positions."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lnviz.explorable.schema import When
from lnviz.explorable.template import conditions_json
from lnviz.number_format import number


@dataclass(frozen=True)
class Slider:
    """A slider over ascending numbers, as a control of a figure.

    Args:
        name: The label on the page.
        values: The value at each position, ascending, in the control's own unit.
        start: The initial value; one of `values`.
        decimals: The decimal places of the displayed value.
        log: Whether positions are equally spaced on a logarithmic scale.
        when: The values of other controls at which it is shown; by default, always.
        has_step_buttons: Whether there are buttons to the previous and next position.
        names: The text displayed at each position instead of the value.
        url_name: The name in the URL, if it differs from `name` because another figure of the
            lesson has a control of the same name.
    """

    name: str
    values: tuple[float, ...]
    start: float
    decimals: int = 2
    log: bool = False
    when: When = field(default_factory=dict)
    has_step_buttons: bool = False
    names: tuple[str, ...] = ()
    url_name: str = ""

    def __post_init__(self) -> None:
        if list(self.values) != sorted(set(self.values)):
            raise ValueError(f"slider {self.name!r}: values must ascend without repeats")
        if self.start not in self.values:
            raise ValueError(f"slider {self.name!r}: start {self.start} is not one of its values")
        if self.names and len(self.names) != len(self.values):
            raise ValueError(
                f"slider {self.name!r}: {len(self.values)} values need as many names, received "
                f"{len(self.names)}"
            )

    @classmethod
    def linear(cls, name: str, low: float, high: float, step: float, start: float) -> Slider:
        """Return a slider with equally spaced positions from `low` to `high`.

        >>> Slider.linear("gain", -3, 3, 0.5, 1).size
        13
        """
        exact = (low, step)
        decimals = next(n for n in range(16) if all(math.isclose(round(v, n), v) for v in exact))
        count = round((high - low) / step) + 1
        values = tuple(round(low + i * step, decimals) + 0.0 for i in range(count))
        return cls(name, values, start, decimals)

    @classmethod
    def decades(cls, name: str, low: int, high: int, per_decade: int, start: float) -> Slider:
        """Return a slider from `10^low` to `10^high`, with `per_decade` positions per factor of 10.

        >>> Slider.decades("case scale", -2, 2, 50, 1.0).size
        201
        """
        count = (high - low) * per_decade + 1
        values = tuple(float(f"{10 ** (low + i / per_decade):.3g}") for i in range(count))
        return cls(name, values, start, log=True)

    @property
    def size(self) -> int:
        """The number of the slider's positions."""
        return len(self.values)

    @property
    def start_index(self) -> int:
        """The initial position of the slider."""
        return self.values.index(self.start)

    def index(self, value: float) -> int:
        """Return the slider position whose value is nearest to `value`."""
        right = min(bisect_left(self.values, value), self.size - 1)
        left = max(right - 1, 0)
        return left if value - self.values[left] <= self.values[right] - value else right

    def parse_index(self, text: str) -> int:
        """Return the slider position nearest to a number in a URL, or the start if invalid."""
        try:
            value = float(text)
        except ValueError:
            return self.start_index
        return self.start_index if math.isnan(value) else self.index(value)

    def label(self, index: int) -> str:
        """Return the text shown for a position of the slider."""
        if self.names:
            return self.names[index]
        return number(self.values[index], "g3" if self.log else str(self.decimals))

    def code(self, index: int) -> str:
        """Return the value at a position of the slider as a Python literal."""
        value = self.values[index]
        return repr(int(value)) if self.decimals == 0 else repr(value)

    def payload(self) -> dict[str, Any]:
        """Return the slider as JSON data (`Slider` in `payload.d.ts`), without its slug."""
        return {
            "kind": "slider",
            "name": self.name,
            "values": list(self.values),
            "labels": [self.label(i) for i in range(self.size)],
            "codes": [self.code(i) for i in range(self.size)],
            "start": self.start_index,
            "when": conditions_json(self.when),
            "walks": self.has_step_buttons,
        }


@dataclass(frozen=True)
class Option:
    """One option of a `Choice` control: its value in the URL, label, color and code."""

    value: str
    label: str
    color: str = "accent"
    code: str = ""


@dataclass(frozen=True)
class Choice:
    """A control with a few options, shown as buttons.

    Args:
        name: The label on the page.
        options: The options; their `code` is inserted into the figure's program.
        start: The initial value.
        when: The values of other controls at which it is shown; by default, always.
        url_name: The name in the URL, if it differs from `name` because another figure of the
            lesson has a control of the same name.
    """

    name: str
    options: tuple[Option, ...]
    start: str
    when: When = field(default_factory=dict)
    url_name: str = ""

    kind = "choice"

    def __post_init__(self) -> None:
        values = [option.value for option in self.options]
        if len(set(values)) != len(values):
            raise ValueError(f"choice {self.name!r}: two options share a value: {values}")
        if self.start not in values:
            raise ValueError(f"choice {self.name!r}: start {self.start!r} is not one of {values}")

    @property
    def size(self) -> int:
        """The number of options."""
        return len(self.options)

    @property
    def start_index(self) -> int:
        """The position of the option that is selected initially."""
        return self.index(self.start)

    def index(self, value: str) -> int:
        """Return the position of the option with this value."""
        return [option.value for option in self.options].index(value)

    def label(self, index: int) -> str:
        """Return the label of the option at a position."""
        return self.options[index].label

    def code(self, index: int) -> str:
        """Return the Python source of the option at a position, for the figure's program."""
        return self.options[index].code

    def payload(self) -> dict[str, Any]:
        """Return the choice as JSON data (`Choice` in `payload.d.ts`), without its slug."""
        return {
            "kind": self.kind,
            "name": self.name,
            "values": [option.value for option in self.options],
            "labels": [option.label for option in self.options],
            "colors": [option.color for option in self.options],
            "codes": [option.code for option in self.options],
            "start": self.start_index,
            "when": conditions_json(self.when),
        }


class StepChoice(Choice):
    """A choice control with ordered options, and buttons for the previous and the next option."""

    kind = "stepper"


class Toggle(Choice):
    """A choice control with two options, shown as one button labeled with the other option."""

    kind = "switch"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.options) != 2:
            raise ValueError(
                f"switch {self.name!r} turns between two options, received {len(self.options)}; "
                "a Choice takes any number"
            )


@dataclass(frozen=True)
class CellPicker:
    """A control whose position is the table cell under the pointer or focus, counted row by row.

    Args:
        name: The name of the control.
        rows: The label of each row.
        columns: The label of each column, short enough for a table heading.
        noun: The word before a column's label in the name of a cell.
        start: The initial row and column.
        codes: The Python source for each cell; by default its row and column.
        url_name: The name in the URL, if it differs from `name` because another figure of the
            lesson has a control of the same name.
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    noun: str
    start: tuple[int, int] = (0, 0)
    codes: tuple[str, ...] = ()
    url_name: str = ""

    def __post_init__(self) -> None:
        row, column = self.start
        if row not in range(len(self.rows)) or column not in range(len(self.columns)):
            raise ValueError(
                f"pointer {self.name!r}: start {self.start} is not a row and a column of its "
                f"{len(self.rows)} x {len(self.columns)} cells"
            )

    @property
    def size(self) -> int:
        """The number of cells that can be picked."""
        return len(self.rows) * len(self.columns)

    @property
    def start_index(self) -> int:
        """The index of the cell that is picked initially."""
        return self.index(self.start)

    def label(self, index: int) -> str:
        """Return the name of the cell at an index: its row and column labels."""
        row, column = divmod(index, len(self.columns))
        named = (self.rows[row], f"{self.noun} {self.columns[column]}".strip())
        return ", ".join(part for part in named if part)

    def index(self, cell: tuple[int, int]) -> int:
        """Return the index of the cell at a row and a column."""
        return cell[0] * len(self.columns) + cell[1]

    def cells_in_row(self, row: int) -> tuple[tuple[int, int], ...]:
        """Return row and column of each cell in a row, for the `when` conditions of views."""
        return tuple((row, column) for column in range(len(self.columns)))

    def code(self, index: int) -> str:
        """Return the Python source of the cell at an index, for the figure's program."""
        if self.codes:
            return self.codes[index]
        row, column = divmod(index, len(self.columns))
        return f"{row}, {column}"

    def payload(self) -> dict[str, Any]:
        """Return the cell picker as JSON (`CellPicker` in `payload.d.ts`), without its slug."""
        return {
            "kind": "pointer",
            "name": self.name,
            "rows": list(self.rows),
            "columns": list(self.columns),
            "labels": [self.label(i) for i in range(self.size)],
            "codes": [self.code(i) for i in range(self.size)],
            "start": self.start_index,
        }


Control = Slider | Choice | CellPicker


def exact_position(control: Control, value: Any) -> int:
    """Return the position at which a control has exactly the given value.

    Raises:
        ValueError: The control has no such position.
    """
    match control:
        case Slider():
            values: tuple[Any, ...] = control.values
        case Choice():
            values = tuple(option.value for option in control.options)
        case CellPicker():
            values = tuple(divmod(i, len(control.columns)) for i in range(control.size))
    if value not in values:
        raise ValueError(f"{control.name!r} has no position {value!r}; it has {values}")
    return values.index(value)


def slug(name: str) -> str:
    """Return a control's name as it appears in a URL, with hyphens instead of spaces.

    >>> slug("batch size")
    'batch-size'
    """
    return name.replace(" ", "-")


def positions(controls: tuple[Control, ...], pick: Callable[[Control], int]) -> dict[str, int]:
    """Return `pick(control)` for each control, keyed by the control's name."""
    return {control.name: pick(control) for control in controls}
