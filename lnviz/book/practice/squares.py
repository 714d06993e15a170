"""The figure of a number's square and of RMSNorm in three floating-point formats."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.explorable import Chart, Choice, Explorable, Option, Slider, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.chart_axes import category_axis, linear_axis, log_axis
from lnviz.lessons.charts import Annotation, Layer, chart, line, markers, note
from lnviz.lessons.data_parameters import load_examples, tensor_literal, to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.number_format import number
from lnviz.topics.practice.squares import FORMATS, Squares, squares

LOW, HIGH = -80, 66
_SIZES = tuple(2.0**power for power in range(LOW, HIGH + 1))
SIZE = Slider(
    "largest number",
    _SIZES,
    256.0,
    log=True,
    names=tuple(number(size, "g6") for size in _SIZES),
)
EPSILONS = (1e-5, 1e-12)
EPSILON = Choice(
    "epsilon added",
    (Option("1e-5", "ε = 10⁻⁵", code="1e-5"), Option("1e-12", "ε = 10⁻¹²", code="1e-12")),
    "1e-5",
)
LEFT, RIGHT, TOP = -49.0, 45.0, 1.3
"""Range of the number lines in powers of ten, and the upper end of the lower chart's axis."""
FLOAT16_MAX = torch.finfo(torch.float16).max
TOKENS = {"float16": "accent", "bfloat16": "ink", "float32": "edge"}
DRAWN = {"float32": (7, "solid"), "bfloat16": (3.5, "6px,4px"), "float16": (2.5, "solid")}
"""Line widths and dashes, in drawing order, so that coinciding lines all stay visible."""
MARGIN = {"l": 72, "r": 24}
"""Margins of both charts in pixels, equal so that their axes align."""
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the figure of RMSNorm in three floating-point formats, at all input scales."""
    row = load_examples("worked", 0, units=6).values[0]
    row = row / row.abs().max()
    result = squares(row, to_tensor(SIZE.values), EPSILONS)
    captions = CAPTIONS.render({"ends": FLOAT16_MAX}, _cases(result))
    return Explorable(
        title=captions.title,
        controls=(SIZE, EPSILON),
        tensors=_tensors(result),
        views=((_lines(),), (_norms(),), captions.readouts),
        code=load_program(__file__, row=tensor_literal(row)),
    )


def _cases(result: Squares) -> dict[str, tuple[CaptionVariant, ...]]:
    """Return the control states in which each caption applies, keyed by the outcome in float16."""
    half, square, out = result.number[0], result.square[0], result.norm[0]
    lost = (square == 0).expand_as(out)
    return {
        "fine": _states_where(out.isfinite() & ~lost & square.isfinite()),
        "hidden": _states_where(lost & out.isfinite() & (half > 0)),
        "nothing": _states_where(lost & (half == 0)),
        "divided": _states_where(~out.isfinite() & (half > 0) & square.isfinite()),
        "squared": _states_where((square.isinf() & half.isfinite()).expand_as(out)),
        "gone": _states_where(half.isinf().expand_as(out)),
    }


def _states_where(mask: Bool[Tensor, "epsilons sizes"]) -> tuple[CaptionVariant, ...]:
    return tuple(
        CaptionVariant({SIZE.name: sizes, EPSILON.name: (option.value,)})
        for option, row in zip(EPSILON.options, mask.tolist(), strict=True)
        if (sizes := tuple(size for size, holds in zip(SIZE.values, row, strict=True) if holds))
    )


def _tensors(result: Squares) -> dict[str, SweptTensor]:
    exact = torch.stack([to_tensor(SIZE.values), 2 * to_tensor(SIZE.values).log2()], -1).double()
    positions = torch.stack([exact[:, 0].log10(), exact[:, 1] * math.log10(2)])  # 2,sizes
    tensors = {}
    for name, at, rounded in zip(
        ("number", "square"), positions, (result.number, result.square), strict=True
    ):
        is_representable = (rounded.isfinite() & (rounded > 0)).T  # sizes,formats
        position = at[:, None].float().expand(is_representable.shape)
        tensors[name] = SweptTensor(
            (SIZE.name,), torch.where(is_representable, position, torch.nan), 3
        )
        tensors[f"lost {name}"] = SweptTensor(
            (SIZE.name,), torch.where(is_representable, torch.nan, position), 3
        )
    over = (SIZE.name, EPSILON.name)
    for name, square, norm in zip(FORMATS, result.square, result.norm, strict=True):
        tensors[f"square in {name}"] = _text_tensor((SIZE.name,), square, "g6")
        tensors[f"norm in {name}"] = _text_tensor(over, norm.T, "g3")
        tensors[f"curve in {name}"] = SweptTensor(
            over, torch.where(norm.T.isfinite(), norm.T, torch.nan).float(), 3
        )
    return tensors


def _text_tensor(over: tuple[str, ...], values: Float[Tensor, "..."], form: str) -> SweptTensor:
    """Return a swept tensor that shows its values as text, since some are infinite or NaN."""
    texts = [_number_text(value, form) for value in values.flatten().tolist()]
    labels = tuple(dict.fromkeys(texts))
    indices = torch.tensor([labels.index(text) for text in texts]).view(values.shape)
    return SweptTensor(over, indices, 0, labels)


def _number_text(value: float, form: str) -> str:
    if math.isnan(value):
        return "no number"
    return "infinite" if math.isinf(value) else number(value, form)


def _lines() -> Chart:
    return chart(
        "{largest number} and its square; where a line is thick, a format keeps all its digits",
        [
            *(
                each
                for height, name in enumerate(reversed(FORMATS))
                for each in _line(name, height)
            ),
            note(5.8, 2, number(FLOAT16_MAX, "g"), anchor="left", xref="x"),
            *_marks("number", "circle", "the number"),
            *_marks("square", "diamond", "its square"),
        ],
        log_axis("", LEFT, RIGHT),
        category_axis("", tuple(reversed(FORMATS))),
        "Three number lines, for float16, bfloat16 and float32, on a logarithmic axis. The square "
        "of {largest number} is {square in float16} in float16, {square in bfloat16} in bfloat16 "
        "and {square in float32} in float32.",
        height=220,
        margin=MARGIN,
    )


def _line(name: str, height: int) -> Iterator[Layer]:
    info = torch.finfo(FORMATS[name])
    least, low, high = (
        math.log10(end) for end in (info.smallest_normal * info.eps, info.tiny, info.max)
    )
    color = TOKENS[name]
    yield from line("", color, [low, high], [height] * 2, width=12, mark=None, showlegend=False)
    yield from line("", color, [least, low], [height] * 2, width=3, mark=None, showlegend=False)


def _marks(of: str, symbol: str, name: str) -> Iterator[Layer]:
    heights = list(range(len(FORMATS)))[::-1]
    ring = {"line": {"color": "var(--ln-page)", "width": 2}, "size": 14}
    for tensor, token, shape, label in (
        (of, "success", symbol, name),
        (f"lost {of}", "failure", f"{symbol}-x", f"{name}, lost"),
    ):
        marker = {"symbol": shape, "color": f"var(--ln-{token})", **ring}
        yield from markers(token, tensor, heights, name=label, marker=marker)


def _norms() -> Chart:
    curves = [
        line(name, TOKENS[name], SIZE, f"curve in {name}", width=width, dash=dash)
        for name, (width, dash) in DRAWN.items()
    ]
    return chart(
        "RMS of RMSNorm’s output, computed in each format",
        [
            *curves,
            _name("float16", "float16", 3.0, 1.04, anchor="right"),
            _name("bfloat16, float32", "bfloat16", 20.4, 0.5),
        ],
        log_axis("", LEFT, RIGHT),
        linear_axis("", 0, TOP),
        "Three curves: the root mean square of RMSNorm’s output against the largest of six "
        "numbers, with epsilon {epsilon added}. At {largest number}, it is {norm in float16} in "
        "float16, {norm in bfloat16} in bfloat16 and {norm in float32} in float32.",
        height=190,
        legend=False,
        margin=MARGIN,
    )


def _name(text: str, color: str, place: float, height: float, anchor: str = "left") -> Annotation:
    """Return a curve's name as an annotation at the falling part of the curve."""
    font = {"color": f"var(--ln-{TOKENS[color]})", "size": 13}
    return note(place, height, text, anchor=anchor, xref="x", font=font)


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for values, name in zip(printed[0], FORMATS, strict=True):
        yield values, shown.lookup(f"curve in {name}", state)


FIGURE = FigureSpec("squares", build, program_output=ProgramOutput(_printed, tolerance=2e-3))
