"""Massive activations: the residual stream's largest components, before and after each norm."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    UNCOLORED,
    CellPicker,
    Chart,
    Explorable,
    Grid,
    Readout,
    Slider,
    SweptTensor,
    ViewRow,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import ChartAxis, linear_axis, log_axis, to_log10
from lnviz.lessons.charts import Mark, chart, line, marker, markers
from lnviz.lessons.inside.reading import (
    MODEL,
    NEAR_ZERO,
    PARTS,
    SENTENCE,
    depth_axis,
    log_range,
    median_size,
    norm_name,
    norm_slider,
    printable_tokens,
    shortened,
    stored_record,
    sublayer_norms,
    token_picker,
)
from lnviz.lessons.lesson import FigureSpec
from lnviz.pretrained.massive_activations import CONTROL_COMPONENTS
from lnviz.pretrained.packages import SMOLLM2
from lnviz.pretrained.records import TextRecord
from lnviz.pretrained.stored_records import stored_records

RARE = 0.02
"""The fraction of values that may be below the charts' range, and are drawn at its lower end."""
ROWS = {
    "component": "which component",
    "x": "before the norm",
    "x rms": "root mean square",
    "share": "fraction of the squares",
    "y": "after the norm",
}
SHORT = 10  # letters of a token beside a chart
Drawn = dict[str, Tensor]
CAPTIONS = load_captions(__file__)


def build(outlier_model: str = SMOLLM2.key, outlier_text: str = "1") -> Explorable:
    """Build the figure of massive activations for a stored text in a published model."""
    return outlier_figure(stored_record(outlier_model, outlier_text))


def outlier_figure(record: TextRecord) -> Explorable:
    """Build the figure of every token's largest component before every norm, for any text."""
    layer = replace(norm_slider(record, peak(record).norm), url_name="outlier-layer")
    token = replace(token_picker(record, record.zeroed.token), name="outlier")
    which, x, y = (
        torch.tensor(values)[..., 0]
        for values in (record.largest, record.x_largest, record.y_largest)
    )  # S,T
    gains = stored_records(record.model).gains  # S,D
    gain = gains.gather(1, which)  # S,T
    width = gains.shape[1]
    drawn = Outliers(
        layer,
        token,
        tuple((name, sublayer_norms(record.norms, part)) for part, name in PARTS.items()),
        which,
        {"x": x, "x rms": torch.tensor(record.x_rms)},
        {"y": y, "y rms": torch.tensor(record.y_rms)},
        torch.tensor(width),
        gain,
        median_size(gains)[:, None].expand_as(gain),
    )
    said = _captions(record, width)
    code = load_program(__file__, width=str(width), component=str(record.zeroed.component))
    along = depth_axis(record.norms)
    title = "attention’s norms (solid) and feed-forward’s (dotted)"
    return Explorable(
        title=said.title,
        controls=(layer, token),
        tensors=drawn.tensors,
        views=(
            (drawn.chart("x", along, title), drawn.chart("y", along, title)),
            said.sections["norms"],
            (drawn.grid("token"), *_losses(record, said.sections["losses"])),
            said.sections["losses"],
        ),
        code=code,
    )


@dataclass(frozen=True, eq=False)
class Outliers:
    """The largest component of each token's vector, before and after each norm.

    Attributes:
        norm: the slider over the norms.
        column: the cell picker over the columns.
        parts: the norms that one line connects, by kind.
        which: the indices of the components.
        x: their values before the norms, and the root mean squares there.
        y: the same after the norms.
        width: the number of components.
        gain: their gains; NaN if a norm has none.
        middle: the median absolute value of all gains.
    """

    norm: Slider
    column: CellPicker
    parts: Sequence[tuple[str, Sequence[int]]]
    which: Tensor
    x: Drawn
    y: Drawn
    width: Tensor
    gain: Tensor
    middle: Tensor

    @property
    def tensors(self) -> dict[str, SweptTensor]:
        """The tensors of the charts, of the table and of the captions."""
        return self._numbers() | self._curves()

    def _numbers(self) -> dict[str, SweptTensor]:
        """Return the tensors shown in the captions and the table; NaN hides a caption."""
        share = (self.x["x"] / self.x["x rms"]).square() / self.width
        share = share.clamp(max=1.0)  # stored values are rounded
        off = self.gain.abs() < NEAR_ZERO * self.middle
        every = {
            "component": self.which.float(),
            "gain": self.gain,
            "usual gain": self.middle,
            "share": share,
            "times": self.x["x"].abs() / self.x["x rms"],
            "alone": share.where(share > 0.5, torch.nan),
            "among": share.where(share <= 0.5, torch.nan),
            "off": self.gain.where(off, torch.nan),
            "on": self.gain.where(~off, torch.nan),
            **self.x,
            **self.y,
        }
        norm, column = self.norm.name, self.column.name
        return {
            **{name: SweptTensor((norm, column), v.contiguous()) for name, v in every.items()},
            **{f"{name} row": SweptTensor((norm,), every[name].contiguous()) for name in ROWS},
        }

    def _curves(self) -> dict[str, SweptTensor]:
        """Return the tensors of the charts: logarithms by depth per kind of norm, and marks."""
        floor, _ = self._ends
        logs = {name: to_log10(v.abs(), floor) for name, v in (self.x | self.y).items()}
        norm, column = self.norm.name, self.column.name
        return {
            **{
                f"{name} {part}": SweptTensor((column,), values[list(places)].T.contiguous(), 3)
                for name, values in logs.items()
                for part, places in self.parts
            },
            **{f"{name} mark": SweptTensor((norm, column), v, 3) for name, v in logs.items()},
        }

    @property
    def _ends(self) -> tuple[float, float]:
        return log_range(torch.cat([v.flatten() for v in (self.x | self.y).values()]), RARE)

    def chart(self, side: str, along: ChartAxis, norms: str) -> Chart:
        """Draw the largest component and the RMS against depth, before the norms or after them.

        Args:
            side: `x` for before, `y` for after.
            along: the axis along the depth.
            norms: a phrase that names the norms.
        """
        sets = {side: ("component", "ink", 2.5), f"{side} rms": ("RMS", "accent", 2.0)}
        curves = [
            line(
                label,
                color,
                places,
                f"{name} {part}",
                width=width,
                dash=dash,
                showlegend=dash == "solid",
            )
            for name, (label, color, width) in sets.items()
            for (part, places), dash in zip(self.parts, ("solid", "dot"), strict=False)
        ]
        marks = [
            marker(self.norm, f"{name} mark", Mark(token=color))
            for name, (_, color, _) in sets.items()
        ]
        where = {"x": "before", "y": "after"}[side]
        norm, column = self.norm.name, self.column.name
        return chart(
            f"{where.capitalize()} {norms}: {{{column}}}",
            [*curves, *marks],
            along,
            log_axis("size", *self._ends, floor=True),
            f"How large the component of {{{column}}} that is largest before each norm is {where} "
            f"it. At {{{norm}}}, it is component {{component:0}}, with {{{side}:g3}}; the RMS of "
            f"all components is {{{side} rms:g3}}. Logarithmic.",
            height=380,
        )

    def grid(self, noun: str) -> Grid:
        """Return a table of each token's largest component at the selected norm.

        Args:
            noun: the name of a column.
        """
        return Grid(
            f"{{{self.norm.name}}}: the largest component of every {noun}",
            self.column.name,
            UNCOLORED,
            rows=tuple((label, f"{name} row") for name, label in ROWS.items()),
            format="g3",
        )


def _captions(record: TextRecord, width: int) -> RenderedCaptions:
    most = peak(record)
    counted = (CaptionVariant({}, _loss_captions(record)),) if len(record.tokens) > 1 else ()
    return CAPTIONS.render(
        {
            "width": width,
            "root": math.sqrt(width),
            "component": record.zeroed.component,
            "whose": _whose(record),
            "value": most.value,
            "norm": norm_name(record.norms[most.norm]),
            "measure": _measure(record).capitalize(),
            "others": CONTROL_COMPONENTS,
        },
        {"losses": counted, "none": not counted},
    )


@dataclass(frozen=True)
class Peak:
    """The largest activation at any norm's input for a text, and its value after that norm.

    Attributes:
        norm: the index of the norm.
        value: the value.
        share: its fraction of the sum of its token's squares.
        behind: its value after the norm.
    """

    norm: int
    value: float
    share: float
    behind: float


def peak(record: TextRecord) -> Peak:
    """Return the largest activation before any norm, for a recorded text.

    Args:
        record: the text in a model.
    """
    token, component = record.zeroed.token, record.zeroed.component
    sizes = [abs(_value(record, at, token, component) or 0.0) for at in range(len(record.norms))]
    at = sizes.index(max(sizes))
    which = record.largest[at][token].index(component)
    value = record.x_largest[at][token][which]
    share = (value / record.x_rms[at][token]) ** 2 / len(stored_records(record.model).gains[at])
    return Peak(at, value, share, record.y_largest[at][token][which])


def _value(record: TextRecord, at: int, token: int, component: int) -> float | None:
    """Return a component's value before a norm, or None if it is not among the token's largest."""
    which = record.largest[at][token]
    return record.x_largest[at][token][which.index(component)] if component in which else None


def _whose(record: TextRecord) -> str:
    """Return the token with the largest activation, escaped for a caption template."""
    return printable_tokens(record)[record.zeroed.token].replace("{", "{{").replace("}", "}}")


def losses(record: TextRecord) -> Float[Tensor, " losses"]:
    """Return the losses of a text when components are set to 0; NaN where a loss is missing.

    Args:
        record: the text in a model.

    Returns:
        Losses of the unchanged model, without the largest component at its token, without it at
        all other tokens, and without each of `OTHERS` other components at that token.
    """
    z = record.zeroed
    every = (z.loss, z.at_token, z.at_others, *z.other)
    return torch.tensor([torch.nan if loss is None else loss for loss in every])


def _losses(record: TextRecord, said: tuple[Readout, ...]) -> ViewRow:
    """Return a row with a chart of a model's loss, unchanged and with one component set to 0.

    The row is empty if the text has no loss, as a text of one token.
    """
    every = losses(record)
    known = every[every.isfinite()]
    if not len(known):
        return ()
    token = escape(shortened(printable_tokens(record)[record.zeroed.token], SHORT))
    rows = ("unchanged", f"at “{token}”", "at other tokens", f"{CONTROL_COMPONENTS} others there")
    colors = ["ink", "accent", "accent", *["soft"] * CONTROL_COMPONENTS]
    return (
        chart(
            f"Component {record.zeroed.component} set to 0 before every block",
            [markers(colors, every, [0, 1, 2, *[3] * CONTROL_COMPONENTS])],
            linear_axis(_measure(record), 0.0, float(known.max()), zeroline=False),
            linear_axis("", 3.6, -0.6, padded=False, ticks=dict(enumerate(rows)), zeroline=False),
            f"{_measure(record).capitalize()} with components set to 0. {said[0].text}",
            height=260,
            legend=False,
        ),
    )


def _measure(record: TextRecord) -> str:
    language = record.model == SMOLLM2.key
    return "loss in nats per token" if language else "distance from the unchanged sentence"


def _loss_captions(record: TextRecord) -> Mapping[str, str]:
    """Return values for the caption on how setting components to 0 changes the loss."""
    every = losses(record)
    digits = 2 if record.model == SMOLLM2.key else 4

    def text(loss: float) -> str:
        return (
            f"{round(loss, digits) + 0.0:.{digits}f}" if math.isfinite(loss) else "beyond float32"
        )

    unchanged, at_token, at_others = map(text, every[:3].tolist())
    low, high = (text(float(end)) for end in every[3:].aminmax())
    return {
        "unchanged": unchanged,
        "at-token": at_token,
        "at-others": at_others,
        "low": low,
        "high": high,
    }


FIGURE = FigureSpec(
    "massive", build, (replace(MODEL, name="outlier_model"), replace(SENTENCE, name="outlier_text"))
)
