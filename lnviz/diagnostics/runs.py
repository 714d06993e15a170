"""Runs of the norm debugger: recorded statistics of norms, which can be saved and loaded."""

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
from lnviz.diagnostics.findings import Finding
from lnviz.diagnostics.norm_spec import NormSpec
from lnviz.diagnostics.norm_statistics import (
    CALL_FIELDS,
    DETAIL_AXES,
    DETAIL_FIELDS,
    DTYPES,
    GRADIENT_FIELDS,
    NormStats,
    detail_axes,
)
from lnviz.diagnostics.schema import MAX_NORMS, MAX_TEXT_LENGTH
from lnviz.diagnostics.specification import RunSpecification
from lnviz.diagnostics.statistics import CALL_STATISTICS, GAIN_STATISTICS, GroupDetails
from lnviz.extras import require_extra
from lnviz.fingerprint import fingerprint
from lnviz.results import stored
from lnviz.results.arrays import ArrayDataset, Axes, NamedArray
from lnviz.results.provenance import current_environment
from lnviz.results.stored import IGNORED_MODULES, Header, Result, write

CollectedNorm = tuple[
    str, str, NormSpec, GroupDetails | None, tuple[tuple[int, Tensor] | None, Tensor | None]
]


@runtime_checkable
class RunRenderer(Protocol):
    """Interface for drawing a run; injected, so that this package does not import figures."""

    def figure(self, run: Run, name: str) -> Any:
        """Return a figure of a run by name; raise a `ValueError` if the run lacks the data."""

    def figures(self, run: Run) -> Mapping[str, Any]:
        """Return all figures that the run's statistics allow, keyed by name."""

    def page(self, run: Run) -> str:
        """Return an HTML page with the run's report and all its figures."""


@dataclass(frozen=True, eq=False)
class Run:
    """Statistics recorded from a model's norms, with methods for findings, reports and figures.

    Attributes:
        result: the arrays and their provenance.
        renderer: renders the figures, or None.
    """

    result: Result[RunSpecification]
    renderer: RunRenderer | None = field(default=None, repr=False)

    @cached_property
    def norms(self) -> Mapping[str, NormStats]:
        """The recorded statistics, keyed by module name, in the order of first calls."""
        names = self.result.labels("norm")
        return {name: self._norm_stats(at, name) for at, name in enumerate(names)}

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The problems found in this run, worst first."""
        return rules.find_problems(tuple(self.norms.values()))

    def report(self) -> str:
        """Return a text report: the findings, then a table of the norms."""
        specification = self.result.specification
        return report.report_text(
            specification.model, self.norms, self.findings, specification.unwatched
        )

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per call of a norm.

        The columns are those of `CALL_STATISTICS` and `GAIN_STATISTICS`, the RMS of the gradients,
        and `headroom` and `headroom_of_squares`: the number of times that the largest component, or
        its square, can be doubled before the input's dtype overflows.

        Raises:
            MissingPackageError: pandas is not installed.
        """
        with require_extra("figures"):
            import pandas as pd

        specification, arrays = self.result.specification, self.result.arrays
        table = {
            name: arrays[name].values.numpy()
            for name in (*CALL_FIELDS, *CALL_STATISTICS, *GAIN_STATISTICS, *GRADIENT_FIELDS)
        }
        norms = table.pop("norm").astype(int)
        formats = [DTYPES[int(at)] for at in table.pop("format")]
        names = self.result.labels("norm")
        ends = torch.tensor([torch.finfo(getattr(torch, name)).max for name in formats]).double()
        largest = arrays["x_largest"].values.double()
        return pd.DataFrame(
            {
                "norm": [names[at] for at in norms],
                "kind": [specification.kinds[at] for at in norms],
                **{name: table[name].astype(int) for name in ("call", "pass", "batch", "size")},
                **{name: table[name].astype(bool) for name in ("training", "frozen", "fixed")},
                "format": formats,
                "output_format": [DTYPES[int(at)] for at in table["output_format"]],
                **{
                    name: table[name]
                    for name in (*CALL_STATISTICS, *GRADIENT_FIELDS, *GAIN_STATISTICS)
                },
                "headroom": (ends / largest).log2().numpy(),
                "headroom_of_squares": (ends / largest.square()).log2().numpy(),
            }
        )

    def figure(self, name: str) -> Any:
        """Return a figure of the run by name: `stream`, `massive`, `gains` or `gradients`.

        Raises:
            ValueError: there is no such figure, or the run has no data for it.
        """
        return self._require_renderer.figure(self, name)

    @property
    def figures(self) -> Mapping[str, Any]:
        """All figures that this run's statistics allow, keyed by name."""
        return self._require_renderer.figures(self)

    @property
    def _require_renderer(self) -> RunRenderer:
        if self.renderer is None:
            raise ValueError(
                "This run cannot draw figures: it comes from neither lnviz.watch nor "
                "lnviz.load. Save it, and read the file with lnviz.load."
            )
        return self.renderer

    def save(self, path: str | Path) -> None:
        """Write the run to a file that `lnviz.load` reads."""
        write(self.result, Path(path))

    def write_html(self, path: str | Path) -> None:
        """Write the report and the figures to a single self-contained HTML file."""
        Path(path).write_text(self._require_renderer.page(self), encoding="utf-8")

    def __repr__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        specification = self.result.specification
        return report.report_html(
            specification.model, self.norms, self.findings, specification.unwatched
        )

    def _ipython_display_(self) -> None:
        """Display the report and all figures in a notebook."""
        from IPython.display import HTML, display

        display(HTML(self._repr_html_()))  # type: ignore[no-untyped-call]
        for drawn in self.figures.values() if self.renderer else ():
            display(drawn)  # type: ignore[no-untyped-call]

    def _display_(self) -> Any:
        """Return the report and all figures for display in marimo."""
        import marimo  # which calls this

        figures = self.figures.values() if self.renderer else ()
        return marimo.vstack([marimo.Html(self._repr_html_()), *figures])

    def _norm_stats(self, at: int, name: str) -> NormStats:
        specification, arrays = self.result.specification, self.result.arrays
        rows = arrays["norm"].values == at
        held = {
            part: arrays[part].values[arrays[f"{part}_norm"].values == at]
            for part in ("gains", "biases")
        }
        spec = NormSpec(
            specification.kinds[at],
            specification.over[at],
            specification.groups[at],
            float(arrays["eps"].values[at]),
            specification.gains[at],
            specification.precisions[at],
            specification.by[at],
            specification.corrections[at],
            specification.eps_outside[at],
            specification.extras[at],
        )
        valid = ~arrays["detail_x_rms"].values[at].isnan()
        details = {
            part: values[valid] if values.dim() else values
            for part in DETAIL_FIELDS
            for values in [arrays[f"detail_{part}"].values[at]]
        }
        return NormStats(
            name,
            specification.classes[at],
            spec,
            {
                part: arrays[part].values[rows].double()
                for part in (*CALL_FIELDS, *CALL_STATISTICS, *GAIN_STATISTICS, *GRADIENT_FIELDS)
            },
            held["gains"] if len(held["gains"]) else None,
            held["biases"] if len(held["biases"]) else None,
            details if bool(valid.any()) else {},
            specification.behind[at],
            specification.axes[at],
            specification.still[at],
            frozenset(specification.facts[at]),
        )


def build_run(
    model: str,
    norms: Sequence[CollectedNorm],
    calls: Sequence[tuple[int, ...]],
    statistics: Float[Tensor, "rows numbers"],
    gradients: Float[Tensor, "rows 2"],
    input_norms: Mapping[str, str],
    wrong_axes: Mapping[str, str],
    untouched: Mapping[str, bool],
    facts: Mapping[str, frozenset[str]],
    unwatched: Sequence[str],
    renderer: RunRenderer | None,
) -> Run:
    """Build a run from the values that a `NormWatcher` has recorded.

    Args:
        model: class name of the model.
        norms: name, class name, specification, details, gains and biases of each norm.
        calls: the values of `CALL_FIELDS` for each call.
        statistics: the values of `CALL_STATISTICS` and `GAIN_STATISTICS` for each call.
        gradients: the values of `GRADIENT_FIELDS` for each call.
        input_norms: the name of the norm whose output is a norm's input, by the latter's name.
        wrong_axes: the feature axis, by name, for norms over a different axis.
        untouched: whether the running statistics have their initial values, by name.
        facts: some of `FACTS` for each norm, by name.
        unwatched: the modules that were not followed, each with its class and the reason.
        renderer: renders the figures, or None.
    """
    names = tuple(name for name, *_ in norms)
    spec = [one for _, _, one, _, _ in norms]
    rows = torch.tensor(calls, dtype=torch.int64).reshape(-1, len(CALL_FIELDS))
    over = ("row",)
    arrays = {name: NamedArray(over, rows[:, at].clone()) for at, name in enumerate(CALL_FIELDS)}
    for columns, table in (
        ((*CALL_STATISTICS, *GAIN_STATISTICS), statistics),
        (GRADIENT_FIELDS, gradients),
    ):
        arrays |= {name: NamedArray(over, table[:, at].clone()) for at, name in enumerate(columns)}
    arrays["eps"] = NamedArray(
        ("norm",), torch.tensor([one.eps for one in spec], dtype=torch.float64)
    )
    parts = {
        "gains": [None if pair[0] is None else pair[0][1] for *_, pair in norms],
        "biases": [pair[1] for *_, pair in norms],
    }
    gain_axes = {}
    for part, each in parts.items():
        flat = [torch.zeros(0) if one is None else one.flatten().float().cpu() for one in each]
        owners = torch.tensor([len(one) for one in flat], dtype=torch.int64)
        joined = torch.cat([*flat, torch.zeros(0)])
        arrays[part] = NamedArray((part,), joined)
        arrays[f"{part}_norm"] = NamedArray(
            (part,), torch.arange(len(flat)).repeat_interleave(owners)
        )
        gain_axes[part] = tuple(range(len(joined)))
    for part in DETAIL_FIELDS:
        along = detail_axes(part)
        table = torch.full((len(names), *(DETAIL_AXES[axis] for axis in along)), torch.nan)
        for at, (*_, details, _pair) in enumerate(norms):
            if details is not None:
                values = getattr(details, part).float().cpu()
                table[at][tuple(slice(0, side) for side in values.shape)] = values
        arrays[f"detail_{part}"] = NamedArray(("norm", *along), table)
    specification = RunSpecification(
        model,
        tuple(kind for _, kind, *_ in norms),
        tuple(one.kind for one in spec),
        tuple(one.over for one in spec),
        tuple(one.groups for one in spec),
        tuple(one.gain for one in spec),
        tuple(one.precision for one in spec),
        tuple(one.detected_by for one in spec),
        tuple(one.correction for one in spec),
        tuple(one.eps_outside for one in spec),
        tuple(one.extra for one in spec),
        tuple(input_norms.get(name, "") for name in names),
        tuple(wrong_axes.get(name, "") for name in names),
        tuple(untouched[name] for name in names),
        tuple(tuple(sorted(facts[name])) for name in names),
        tuple(line[:MAX_TEXT_LENGTH] for line in unwatched[:MAX_NORMS]),
    )
    held_axes: Axes = {
        "norm": names,
        "row": tuple(range(len(rows))),
        **gain_axes,
        **{axis: tuple(range(side)) for axis, side in DETAIL_AXES.items()},
    }
    dataset = ArrayDataset(held_axes, arrays)
    environment = current_environment(torch.device("cpu"))
    header = Header(
        "lnviz.watch",
        vars(specification),
        {name: version for name, version in environment.items() if name != "device"},
        environment["device"],
        date.today().isoformat(),
        fingerprint(__name__, exclude=IGNORED_MODULES),
    )
    return Run(Result(dataset.axes, dataset.arrays, specification, header), renderer)


def load(path: str | Path, renderer: RunRenderer | None = None) -> Run:
    """Load a saved run from a file without unpickling; every field is validated.

    Args:
        path: path of the file.
        renderer: renders the figures, or None.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file does not contain a valid run.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    with path.open("rb") as opened:
        return parse_run(opened, path.name, renderer)


def parse_run(opened: BufferedIOBase, name: str, renderer: RunRenderer | None = None) -> Run:
    """Read and validate a saved run from an open file.

    Args:
        opened: the file.
        name: name of the file, for error messages.
        renderer: renders the figures, or None.

    Raises:
        ValueError: the file does not contain a valid run.
    """
    try:
        # NumPy would take it for a pickle, and advise to load that, which can run code.
        if not zipfile.is_zipfile(opened):
            raise ValueError("it has another format than .npz")
        opened.seek(0)
        result = stored.parse_result(opened, name, RunSpecification)
        schema.validate(result.specification, result)
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
            f"{name} is not a run that `watched.save` wrote ({error}). Save the run again."
        ) from error
    return Run(result, renderer)
