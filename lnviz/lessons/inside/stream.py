"""The RMS and mean of a published model's residual stream, before and after every norm."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    Option,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.chart_axes import to_log10
from lnviz.lessons.charts import line
from lnviz.lessons.inside.by_norm import DECIMALS, FLOOR, NormColumns, Table
from lnviz.lessons.inside.reading import (
    MODEL,
    NORM_PLACEMENTS,
    SENTENCE,
    depth_axis,
    layer_ticks,
    norm_slider,
    printable_tokens,
    stored_record,
    sublayer_norms,
    token_picker,
)
from lnviz.lessons.lesson import FigureSpec
from lnviz.number_format import number
from lnviz.pretrained import minilm, smollm2
from lnviz.pretrained.packages import MINILM, SMOLLM2
from lnviz.pretrained.records import TextRecord
from lnviz.topics.transformer import POST, PRE
from lnviz.topics.transformer.setups import InitializationExperiment
from lnviz.topics.transformer.theory import sizes

SHOWN = Choice(
    "shown",
    (
        Option("before", "RMS before"),
        Option("after", "RMS after"),
        Option("mean", "mean / RMS"),
    ),
    "before",
)
EXPERIMENT = InitializationExperiment(width=64, seeds=tuple(range(5)))
OUTSTANDING = 10.0
"""The ratio to the median RMS from which a token's column of the heat map stands out."""
WIDTHS = {SMOLLM2.key: smollm2.SHAPE.width, MINILM.key: minilm.SHAPE.width}
PLACEMENT = {SMOLLM2.key: PRE.key, MINILM.key: POST.key}
CAPTIONS = load_captions(__file__)


def build(model: str = SMOLLM2.key, sentence: str = "1") -> Explorable:
    """Build the figure of the residual stream for a stored text in a published model."""
    return stream_figure(stored_record(model, sentence))


def stream_figure(record: TextRecord) -> Explorable:
    """Build the figure of the residual stream for any text, compared with untrained networks."""
    layer, token = (
        norm_slider(record, len(record.norms) - 1),
        token_picker(record, len(record.tokens) - 1),
    )
    before, after = torch.tensor(record.x_rms), torch.tensor(record.y_rms)  # S,T
    median = before.median(1).values  # S
    ahead = (before[:, 0] / median).max().item()
    untrained = _untrained(_layers(record), PLACEMENT[record.model])
    captions = CAPTIONS.render(
        {
            "placed": NORM_PLACEMENTS[record.model],
            "untrained": (untrained[-1] / untrained[0]).item(),
            "least": after.min().item(),
            "most": after.max().item(),
        },
        {"outstanding": _outstanding(record, ahead)},
    )
    ticks = layer_ticks(record.norms)
    drawn = NormColumns(layer, token, printable_tokens(record), "token", ticks, before, after)
    shown, tensors = maps(drawn, torch.tensor(record.x_mean), "layer")
    return Explorable(
        title=captions.title,
        controls=(SHOWN, layer, token),
        tensors={**tensors, "median": SweptTensor((layer.name,), median)},
        views=((*shown, _curves(record, drawn)), captions.readouts),
        code=load_program(__file__, layers=str(_layers(record)), width=str(WIDTHS[record.model])),
        steps=captions.steps,
    )


def _outstanding(record: TextRecord, ahead: float) -> tuple[CaptionVariant, ...]:
    """Return the caption on the heat map's first column, if it stands out from the others.

    Args:
        record: the text.
        ahead: the largest ratio of the first token's RMS to the median over all tokens.
    """
    first = printable_tokens(record)[0].replace("{", "{{").replace("}", "}}")
    return (CaptionVariant({}, {"first": first, "ahead": ahead}),) if ahead > OUTSTANDING else ()


def maps(drawn: NormColumns, mean: Table, along: str) -> tuple[list[Chart], dict[str, SweptTensor]]:
    """Return heat maps of the RMS and the ratio |mean| / RMS, and the tensors behind all charts.

    Args:
        drawn: the sizes before the norms and after them.
        mean: the means before the norms.
        along: the name of the depth.
    """
    norm, column = drawn.norm.name, drawn.column.name
    share = mean.abs() / drawn.x
    logs = (to_log10(drawn.x), to_log10(drawn.y), to_log10(share, FLOOR))
    alt = (
        f"At {{{norm}}}, {{{column}}} has an RMS of {{x:g3}} before the norm and {{y:g3}} after it."
    )
    charts = [
        drawn.map(option, each, along, alt, SHOWN.name)
        for option, each in zip(SHOWN.options, logs, strict=True)
    ]
    tensors = {
        f"{option.value} map": SweptTensor((), each.flatten(), DECIMALS)
        for option, each in zip(SHOWN.options, logs, strict=True)
    }
    return charts, {**tensors, "share": SweptTensor((norm, column), share, 4), **drawn.tensors}


def _curves(record: TextRecord, drawn: NormColumns) -> Chart:
    places = [*sublayer_norms(record.norms, "attention"), len(record.norms)]
    if record.model == SMOLLM2.key:
        places[-1] -= 1  # the final norm reads the output of the last layer
    untrained = _untrained(_layers(record), PLACEMENT[record.model])
    random = line(
        "untrained network",
        "soft",
        places[: len(untrained)],
        to_log10(untrained),
        width=1.5,
        dash="dot",
    )
    return drawn.curves(
        "“{token}”: RMS of the stream, by layer",
        "root mean square",
        depth_axis(record.norms),
        ("before the norm", "after it"),
        "How large {token} is before and after every norm. At {layer}, its RMS is {x:g3} before "
        "and {y:g3} after. In an untrained network of as many layers, it is "
        f"{number(float(untrained[0]), 'g2')} at the start and "
        f"{number(float(untrained[-1]), 'g2')} at the end. Logarithmic.",
        random,
        untrained,
    )


def _layers(record: TextRecord) -> int:
    return len([name for name in record.norms if name.endswith(".attention")])


@cache
def _untrained(layers: int, placement: str) -> Tensor:
    """Return the RMS of an untrained network's residual stream, at its input and by layer."""
    return sizes((placement,), layers, EXPERIMENT)[placement].stream.mean(1).sqrt()


FIGURE = FigureSpec("stream", build, (MODEL, SENTENCE), cpu_seconds=2.0)
