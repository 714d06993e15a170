"""A run: what was seen of a model's norms, as arrays with named axes that a file keeps."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from io import BufferedIOBase
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.diagnostics import report, rules, schema
from lnviz.diagnostics.detection import Facts
from lnviz.diagnostics.findings import Finding
from lnviz.diagnostics.norm_statistics import BOTH, DTYPES, KEPT, ROW, SIDES, Seen, ranked
from lnviz.diagnostics.specification import Specification
from lnviz.diagnostics.statistics import CALL, GAIN, Details
from lnviz.fingerprint import fingerprint
from lnviz.results import stored
from lnviz.results.arrays import Array, Arrays, Axes
from lnviz.results.provenance import present
from lnviz.results.stored import KEEPING, Header, Result, write

Held = tuple[str, str, Facts, Details | None, tuple[tuple[int, Tensor] | None, Tensor | None]]


@runtime_checkable
class Draws(Protocol):
    """What draws a run; a topic computes alone."""

    def figure(self, run: Run, name: str) -> Any:
        """Return a figure of a run, or raise a `ValueError` that says why there is none."""

    def figures(self, run: Run) -> Mapping[str, Any]:
        """Return the figures that there are for a run, by name."""

    def page(self, run: Run) -> str:
        """Return a page with the report and all figures, as HTML."""


@dataclass(frozen=True, eq=False)
class Run:
    """What was seen of a model's norms.

    Attributes:
        result: arrays with named axes, and how they were made.
        draws: what draws the figures.
    """

    result: Result[Specification]
    draws: Draws | None = field(default=None, repr=False)

    @cached_property
    def norms(self) -> Mapping[str, Seen]:
        """What was seen of each norm, in the order of their first calls."""
        names = self.result.names("norm")
        return {name: self._seen(at, name) for at, name in enumerate(names)}

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, worst first."""
        return rules.found(tuple(self.norms.values()))

    def report(self) -> str:
        """Return what was found and seen, as text."""
        return report.written(self.result.specification.model, self.norms, self.findings)

    def to_frame(self) -> Any:
        """Return a pandas table with a row for each call of a norm.

        Columns are those of `statistics.CALL` and `statistics.GAIN`, the gradients' root mean
        squares, and `headroom` and `headroom_of_squares`: how many times the largest component, and
        its square, could be doubled before the input's format ends.
        """
        import pandas as pd

        specification, arrays = self.result.specification, self.result.arrays
        table = {name: arrays[name].values.numpy() for name in (*ROW, *CALL, *GAIN, *BOTH)}
        norms = table.pop("norm").astype(int)
        formats = [DTYPES[int(at)] for at in table.pop("format")]
        names = self.result.names("norm")
        ends = torch.tensor([torch.finfo(getattr(torch, name)).max for name in formats]).double()
        largest = arrays["x_largest"].values.double()
        return pd.DataFrame(
            {
                "norm": [names[at] for at in norms],
                "kind": [specification.kinds[at] for at in norms],
                **{name: table[name].astype(int) for name in ("call", "pass", "batch", "size")},
                **{name: table[name].astype(bool) for name in ("training", "frozen")},
                "format": formats,
                **{name: table[name] for name in (*CALL, *BOTH, *GAIN)},
                "headroom": (ends / largest).log2().numpy(),
                "headroom_of_squares": (ends / largest.square()).log2().numpy(),
            }
        )

    def figure(self, name: str) -> Any:
        """Return a figure of the run, one of `stream`, `massive`, `gains` and `gradients`.

        Raises:
            ValueError: there is no such figure, or the run has nothing for it.
        """
        return self._drawing.figure(self, name)

    @property
    def figures(self) -> Mapping[str, Any]:
        """The figures that there are for this run, by name."""
        return self._drawing.figures(self)

    @property
    def _drawing(self) -> Draws:
        if self.draws is None:
            raise ValueError("Figures come with lnviz.watch and lnviz.load; this run has neither.")
        return self.draws

    def save(self, path: str | Path) -> None:
        """Write the run into a file, which `lnviz.load` reads."""
        write(self.result, Path(path))

    def write_html(self, path: str | Path) -> None:
        """Write the report and the figures into a page of one file, which opens from a disk."""
        Path(path).write_text(self._drawing.page(self), encoding="utf-8")

    def __repr__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        return report.marked_up(self.result.specification.model, self.norms, self.findings)

    def _ipython_display_(self) -> None:
        """Show the report, and the figures that there are for this run."""
        from IPython.display import HTML, display

        display(HTML(self._repr_html_()))  # type: ignore[no-untyped-call]
        for drawn in self.figures.values() if self.draws else ():
            display(drawn)  # type: ignore[no-untyped-call]

    def _seen(self, at: int, name: str) -> Seen:
        made, arrays = self.result.specification, self.result.arrays
        mine = arrays["norm"].values == at
        held = {
            part: arrays[part].values[arrays[f"{part}_norm"].values == at]
            for part in ("gains", "biases")
        }
        facts = Facts(
            made.kinds[at],
            made.over[at],
            made.groups[at],
            float(arrays["eps"].values[at]),
            made.gains[at],
            made.precisions[at],
            made.by[at],
        )
        there = ~arrays["detail_x_rms"].values[at].isnan()
        details = {
            part: values[there] if values.dim() else values
            for part in KEPT
            for values in [arrays[f"detail_{part}"].values[at]]
        }
        return Seen(
            name,
            made.classes[at],
            facts,
            {part: arrays[part].values[mine].double() for part in (*ROW, *CALL, *GAIN, *BOTH)},
            held["gains"] if len(held["gains"]) else None,
            held["biases"] if len(held["biases"]) else None,
            details if bool(there.any()) else {},
            made.behind[at],
            made.axes[at],
            made.still[at],
        )


def made(
    model: str,
    held: Sequence[Held],
    calls: Sequence[tuple[int, ...]],
    numbers: Float[Tensor, "rows numbers"],
    gradients: Float[Tensor, "rows 2"],
    behind: Mapping[str, str],
    axes: Mapping[str, str],
    still: Mapping[str, bool],
    draws: Draws | None,
) -> Run:
    """Return a run.

    Args:
        model: the model's class.
        held: of each norm its name, its class, what it does, details, gains and biases.
        calls: of each call what `ROW` says.
        numbers: of each call what `CALL` and `GAIN` say.
        gradients: of each call what `BOTH` says.
        behind: the norms that stand directly before others, by these.
        axes: where the features are, by norms over another axis.
        still: whether running statistics are as fresh ones, by norm.
        draws: what draws the figures.
    """
    names = tuple(name for name, *_ in held)
    facts = [one for _, _, one, _, _ in held]
    rows = torch.tensor(calls, dtype=torch.int64).reshape(-1, len(ROW))
    over = ("row",)
    arrays = {name: Array(over, rows[:, at].clone()) for at, name in enumerate(ROW)}
    for columns, table in (((*CALL, *GAIN), numbers), (BOTH, gradients)):
        arrays |= {name: Array(over, table[:, at].clone()) for at, name in enumerate(columns)}
    arrays["eps"] = Array(("norm",), torch.tensor([one.eps for one in facts], dtype=torch.float64))
    parts = {
        "gains": [None if pair[0] is None else pair[0][1] for *_, pair in held],
        "biases": [pair[1] for *_, pair in held],
    }
    units = {}
    for part, each in parts.items():
        flat = [torch.zeros(0) if one is None else one.flatten().float().cpu() for one in each]
        owners = torch.tensor([len(one) for one in flat], dtype=torch.int64)
        joined = torch.cat([*flat, torch.zeros(0)])
        arrays[part] = Array((part,), joined)
        arrays[f"{part}_norm"] = Array((part,), torch.arange(len(flat)).repeat_interleave(owners))
        units[part] = tuple(range(len(joined)))
    for part in KEPT:
        along = ranked(part)
        table = torch.full((len(names), *(SIDES[axis] for axis in along)), torch.nan)
        for at, (*_, details, _pair) in enumerate(held):
            if details is not None:
                values = getattr(details, part).float().cpu()
                table[at][tuple(slice(0, side) for side in values.shape)] = values
        arrays[f"detail_{part}"] = Array(("norm", *along), table)
    specification = Specification(
        model,
        tuple(kind for _, kind, *_ in held),
        tuple(one.kind for one in facts),
        tuple(one.over for one in facts),
        tuple(one.groups for one in facts),
        tuple(one.gain for one in facts),
        tuple(one.precision for one in facts),
        tuple(one.by for one in facts),
        tuple(behind.get(name, "") for name in names),
        tuple(axes.get(name, "") for name in names),
        tuple(still[name] for name in names),
    )
    held_axes: Axes = {
        "norm": names,
        "row": tuple(range(len(rows))),
        **units,
        **{axis: tuple(range(side)) for axis, side in SIDES.items()},
    }
    whole = Arrays(held_axes, arrays)
    known = present(torch.device("cpu"))
    header = Header(
        "lnviz.watch",
        vars(specification),
        {name: version for name, version in known.items() if name != "device"},
        known["device"],
        date.today().isoformat(),
        fingerprint(__name__, without=KEEPING),
    )
    return Run(Result(whole.axes, whole.arrays, specification, header), draws)


def load(path: str | Path, draws: Draws | None = None) -> Run:
    """Return a run that was saved. Nothing is unpickled, and nothing in the file is believed.

    Args:
        path: the path of the file.
        draws: what draws the figures.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is no run.
    """
    with Path(path).open("rb") as opened:
        return parsed(opened, Path(path).name, draws)


def parsed(opened: BufferedIOBase, name: str, draws: Draws | None = None) -> Run:
    """Return the run that an open file holds.

    Args:
        opened: the file.
        name: what it is called.
        draws: what draws the figures.

    Raises:
        ValueError: the file is no run.
    """
    try:
        result = stored.parsed(opened, name, Specification)
        schema.require(result.specification, result)
    except (
        AttributeError,
        EOFError,
        KeyError,
        NotImplementedError,
        OSError,
        OverflowError,
        RecursionError,
        TypeError,
        ValueError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise ValueError(
            f"{name} is no run that `watched.save` has written ({error}). Save the run again."
        ) from error
    return Run(result, draws)
