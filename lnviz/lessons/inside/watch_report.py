"""Figures and HTML report of a run of a user's own model, recorded by `lnviz.watch`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.diagnostics import NormStats, Run, weights
from lnviz.diagnostics.weights import BIAS, GAIN, NormParameter
from lnviz.explorable import (
    CellPicker,
    Choice,
    Explorable,
    Grid,
    Option,
    Readout,
    Slider,
    SweptTensor,
    ViewRow,
    single_file,
)
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import to_log10
from lnviz.lessons.inside import gains, massive, stream
from lnviz.lessons.inside.by_norm import DECIMALS, NormColumns
from lnviz.lessons.inside.reading import depth_axis, depth_axis_title, layer_ticks, median_size
from lnviz.norms import CATALOGUE
from lnviz.number_format import number

PASSES = 48
"""The largest number of passes drawn; of a longer run, this many evenly spaced passes."""
NEEDS = {
    "stream": "Call the model inside the block.",
    "massive": "Call the model inside the block.",
    "gains": "Its norms have no gains.",
    "gradients": "Call backward() inside the block.",
}
"""For each figure of a report, what to do if the run lacks the data for it."""
GRADIENT = Choice(
    "shown",
    (Option("out", "gradient after the norm"), Option("in", "gradient before it")),
    "out",
)
MEDIAN, LARGEST, WHOLE = (
    "the median RMS of the inputs, over groups, and the RMS of all outputs",
    "the largest component, and the RMS of all",
    "the RMS of all",
)
"""Captions of the statistics that represent a pass."""
CAPTIONS = load_captions(__file__)


def report_figure(run: Run, name: str) -> Explorable:
    """Return the named figure of a recorded run.

    Args:
        run: the run.
        name: one of `NEEDS`.

    Raises:
        ValueError: there is no such figure, or the run does not have its data.
    """
    if name not in NEEDS:
        raise ValueError(f"A figure of a run is one of {', '.join(NEEDS)}; got {name!r}.")
    made = report_figures(run, name).get(name)
    if made is None:
        raise ValueError(f"No norm of this run has what {name!r} shows. {NEEDS[name]}")
    return made


def report_figures(run: Run, *names: str) -> Mapping[str, Explorable]:
    """Return the available figures of a recorded run, keyed by name.

    Args:
        run: the run.
        names: some of `NEEDS`; by default, all of them.
    """
    drawn = {"stream": _stream, "massive": _massive, "gains": _gains, "gradients": _gradients}
    made = {name: drawn[name](run) for name in names or NEEDS}
    return {
        name: replace(one, title=_named(run) + one.title)
        for name, one in made.items()
        if one is not None
    }


def report_page(run: Run) -> str:
    """Return a self-contained HTML page: the report of a recorded run with all its figures."""
    title = f"{run.result.specification.model}: its norms"
    shown = {drawn.title.removeprefix(_named(run)): drawn for drawn in report_figures(run).values()}
    return single_file.render_page(title, run._repr_html_(), shown)


def weights_page(title: str, found: Sequence[NormParameter]) -> str:
    """Return a self-contained HTML page that shows the gains and biases in a file of weights.

    Args:
        title: the title.
        found: the gains and biases.

    Raises:
        ValueError: there are only biases.
    """
    stems = {one.name: one.name.rpartition(".")[0] for one in found}
    biases = {stems[one.name]: one.values for one in found if one.role == BIAS}
    learned = [one for one in found if one.role == GAIN]
    if not learned:
        raise ValueError(
            "The file has biases of norms, but no gains. Name the file of the whole model."
        )
    names = [stems[one.name] or one.name for one in learned]
    drawn = _learned(names, [one.values for one in learned], [biases.get(n) for n in names])
    return single_file.render_page(title, weights.weights_html(found), {drawn.title: drawn})


def _named(run: Run) -> str:
    return f"{run.result.specification.model}: "


@dataclass(frozen=True, eq=False)
class _Columns:
    """The horizontal axis of a report figure (rows or passes), and the norms that the figure shows.

    Attributes:
        norms: the norms.
        labels: the labels of the columns.
        noun: the name of a column.
        note: a sentence on the columns.
    """

    norms: Sequence[NormStats]
    labels: tuple[str, ...]
    noun: str
    note: RenderedCaptions

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(norm.name for norm in self.norms)

    @property
    def norm(self) -> Slider:
        return _slider(self.names)

    @property
    def column(self) -> CellPicker:
        return CellPicker("column", ("",), self.labels, self.noun, (0, len(self.labels) - 1))

    def by_norm(self, x: Tensor, y: Tensor) -> NormColumns:
        ticks = layer_ticks(self.names)
        return NormColumns(self.norm, self.column, self.labels, self.noun, ticks, x, y)

    def facts(self) -> dict[str, SweptTensor]:
        """Return the tensor of the phrases that describe the norms."""
        said = tuple(map(_facts, self.norms))
        return {"facts": SweptTensor((self.norm.name,), torch.arange(len(said)).float(), 0, said)}

    def below(self, section: str) -> tuple[Readout, ...]:
        """Return the captions below the charts."""
        names = (section, "columns", "facts")
        return tuple(one for name in names for one in self.note.sections[name])


def _slider(names: Sequence[str]) -> Slider:
    places = tuple(float(place) for place in range(len(names)))
    return Slider("norm", places, places[-1], 0, names=tuple(names))


def _facts(norm: NormStats) -> str:
    facts = norm.spec
    found = "its type" if facts.detected_by == "type" else "what it does"
    return (
        f"{norm.type}, a {CATALOGUE[facts.kind].label} over {facts.statistics_over}, "
        f"found by {found}; "
        f"epsilon {number(facts.eps, 'g2')}; gain: {facts.gain}; statistics in: "
        f"{facts.precision}; calls: {len(norm.calls['call'])}"
    )


def _rows(norms: Sequence[NormStats]) -> _Columns | None:
    """Return a figure's columns, one per input row, for norms with the most common input size."""
    sizes = {
        norm.name: (norm.group_size, len(norm.details["x_rms"])) for norm in norms if norm.details
    }
    if not sizes:
        return None
    every = list(sizes.values())
    most = max(every, key=every.count)
    chosen = [norm for norm in norms if sizes.get(norm.name) == most]
    calls = min(len(norm.calls["call"]) for norm in chosen)
    call = 2 ** (calls.bit_length() - 1)  # details are those of the last power of two
    case = CaptionVariant({}, {"count": most[1], "call": call})
    labels = tuple(str(row) for row in range(1, most[1] + 1))
    return _Columns(chosen, labels, "row", _captions(rows=(case,)))


def _passes(norms: Sequence[NormStats], what: str) -> tuple[_Columns, Tensor] | None:
    """Return a figure's columns, one per forward pass shown, and the numbers of these passes.

    Captions call the statistic of a pass `what`.
    """
    every = torch.cat([norm.calls["pass"] for norm in norms]).unique() if norms else torch.zeros(0)
    if not len(every):
        return None
    drawn = min(PASSES, len(every))
    chosen = every[torch.linspace(0, len(every) - 1, drawn, dtype=torch.float64).round().long()]
    labels = tuple(str(int(at)) for at in chosen)
    case = CaptionVariant({}, {"count": drawn, "all": len(every), "what": what})
    return _Columns(norms, labels, "pass", _captions(passes=(case,))), chosen


def _captions(**cases: tuple[CaptionVariant, ...]) -> RenderedCaptions:
    return CAPTIONS.render({}, {"rows": (), "passes": (), **cases})


def _by_pass(norms: Sequence[NormStats], chosen: Tensor, name: str) -> Float[Tensor, "S T"]:
    """Return a statistic by norm and pass, from the norm's last call in the pass; NaN if none."""
    table = torch.full((len(norms), len(chosen)), torch.nan)
    for at, norm in enumerate(norms):  # norms may be called different numbers of times
        place = torch.searchsorted(chosen, norm.calls["pass"]).clamp(max=len(chosen) - 1)
        same = chosen[place] == norm.calls["pass"]
        table[at, place[same]] = norm.calls[name][same].float()
    return table


def _stacked(norms: Sequence[NormStats], name: str) -> Tensor:
    return torch.stack([norm.details[name] for norm in norms])


def _stream(run: Run) -> Explorable | None:
    norms = list(run.norms.values())
    passes = _passes(norms, MEDIAN)
    rows = _rows(norms)
    if passes is None:
        return None
    columns, chosen = passes
    if rows is not None and len(chosen) == 1:
        columns = rows
        x, y, mean = (_stacked(rows.norms, name) for name in ("x_rms", "y_rms", "x_mean"))
    else:
        x, y, mean = (_by_pass(norms, chosen, name) for name in ("x_median", "y_rms", "x_mean"))
    drawn = columns.by_norm(x, y)
    maps, tensors = stream.maps(drawn, mean, depth_axis_title(columns.names))
    curves = drawn.curves(
        "{column}: RMS at every norm",
        "root mean square",
        depth_axis(columns.names),
        ("before the norm", "after it"),
        "How large the stream at {column} is at every norm. At {norm}, its RMS is {x:g3} before "
        "and {y:g3} after. Logarithmic.",
    )
    return _shown(
        "RMS before and after each norm",
        columns,
        stream.SHOWN,
        (*maps, curves),
        tensors,
        "stream",
        drawn.table("{norm}: RMS", ("before the norm", "after it")),
    )


def _shown(
    title: str,
    columns: _Columns,
    shown: Choice,
    charts: ViewRow,
    tensors: dict[str, SweptTensor],
    section: str,
    table: tuple[Grid, dict[str, SweptTensor]],
) -> Explorable:
    """Return a figure of two quantities, with heat maps and table if it has several columns."""
    below, facts = columns.below(section), columns.facts()
    if len(columns.labels) == 1:
        controls = (columns.norm, columns.column)
        return Explorable(title, controls, {**tensors, **facts}, (charts[-1:], below))
    grid, rows = table
    return Explorable(
        title=title,
        controls=(shown, columns.norm, columns.column),
        tensors={**tensors, **rows, **facts},
        views=(charts, below, (grid,)),
    )


def _gradients(run: Run) -> Explorable | None:
    norms = list(run.norms.values())
    seen = [norm for norm in norms if norm.calls["gradient_out"].isfinite().any()]
    passes = _passes(seen, WHOLE)
    if passes is None:
        return None
    columns, chosen = passes
    x, y = (_by_pass(seen, chosen, name) for name in ("gradient_out", "gradient_in"))
    drawn = columns.by_norm(x, y)
    alt = "At {norm}, {column} has a gradient of {x:g3} after the norm and {y:g3} before it."
    logs = dict(zip(GRADIENT.options, (to_log10(x), to_log10(y)), strict=True))
    maps = [
        drawn.map(option, each, depth_axis_title(columns.names), alt, GRADIENT.name)
        for option, each in logs.items()
    ]
    tensors = {
        f"{o.value} map": SweptTensor((), each.flatten(), DECIMALS) for o, each in logs.items()
    }
    curves = drawn.curves(
        "{column}: gradient at every norm",
        "root mean square of the gradient",
        depth_axis(columns.names),
        ("after the norm", "before it"),
        f"How large the gradient is at every norm (RMS). {alt} Logarithmic.",
    )
    return _shown(
        "Gradients after and before each norm",
        columns,
        GRADIENT,
        (*maps, curves),
        {**tensors, **drawn.tensors},
        "gradients",
        drawn.table("{norm}: gradients", ("after the norm", "before it")),
    )


def _massive(run: Run) -> Explorable | None:
    norms = list(run.norms.values())
    columns = _rows(norms)
    if columns is None:
        passes = _passes(norms, LARGEST)
        if passes is None:
            return None
        columns, chosen = passes
        x, x_rms, y_rms, which = (
            _by_pass(norms, chosen, name) for name in ("x_largest", "x_rms", "y_rms", "component")
        )
        y = torch.full_like(x, torch.nan)
    else:
        x, y, which = (
            _stacked(columns.norms, name)[..., 0] for name in ("x_largest", "y_largest", "which")
        )
        x_rms, y_rms = (_stacked(columns.norms, name) for name in ("x_rms", "y_rms"))
    learned = gains.padded_gains([norm.gains for norm in columns.norms])
    learned = torch.cat([learned, learned.new_full((len(learned), 1), torch.nan)], 1)
    last = learned.shape[1] - 1  # the index of a column of NaN, for norms without a gain
    gain = learned.gather(1, which.nan_to_num(last).clamp(0, last).long())
    drawn = massive.Outliers(
        columns.norm,
        columns.column,
        (("", range(len(columns.norms))),),
        which,
        {"x": x, "x rms": x_rms},
        {"y": y, "y rms": y_rms},
        torch.tensor([float(norm.group_size) for norm in columns.norms])[:, None],
        gain,
        median_size(learned)[:, None].expand_as(gain),
    )
    axis = depth_axis(columns.names)
    sides = ("x", "y") if bool(y.isfinite().any()) else ("x",)
    return Explorable(
        title="The largest components before and after each norm",
        controls=(columns.norm, columns.column),
        tensors={**drawn.tensors, **columns.facts()},
        views=(
            tuple(drawn.chart(side, axis, "the norms") for side in sides),
            columns.below("massive"),
            (drawn.grid(columns.noun),),
        ),
    )


def _gains(run: Run) -> Explorable | None:
    norms = [norm for norm in run.norms.values() if norm.gains is not None]
    if not norms:
        return None
    return _learned(
        [norm.name for norm in norms],
        [norm.gains for norm in norms],
        [norm.biases for norm in norms],
    )


def _learned(
    names: Sequence[str], each: Sequence[Tensor | None], biases: Sequence[Tensor | None]
) -> Explorable:
    known = any(one is not None and len(one) for one in biases)
    return gains.gains_figure(
        gains.NormGains(
            _slider(names),
            depth_axis(names),
            gains.padded_gains(each),
            gains.padded_gains(biases) if known else None,
        )
    )
