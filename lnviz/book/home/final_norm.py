"""The figure of a language model's likeliest next words, with and without its final norm."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import torch

from lnviz.explorable import (
    Choice,
    Diagram,
    DiagramArrow,
    DiagramBar,
    DiagramBox,
    Explorable,
    Option,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.lesson import FigureSpec
from lnviz.norms import RMS
from lnviz.number_format import number
from lnviz.pretrained.final_norm import BARE, DIVISION, TOP_TOKENS, VARIANTS, WHOLE
from lnviz.pretrained.last_token import LastToken, last_token
from lnviz.pretrained.packages import SMOLLM2
from lnviz.pretrained.sample_texts import SENTENCES
from lnviz.pretrained.stored_records import stored_records

TEXT = SENTENCES[0]
ON, OFF = "on", "off"
NORM = Choice(
    "final norm",
    (
        Option(ON, "with its final norm", RMS.key, "True"),
        Option(OFF, "without it", "failure", "False"),
    ),
    ON,
)
CAPTIONS = load_captions(__file__)

WIDTH, HEIGHT = 400.0, 336.0
SCALE = 1.2  # pixels of line width per unit of RMS
STREAM = 60.0  # x of the residual stream
TOP, BOTTOM = 16.0, 256.0  # y of the first norm and of the last one
NORM_OFFSET = 24.0  # from the stream to the dot of a norm
DOT = 5.0
FINAL_NORM = 276.0  # y of the final norm's box
BOX_HEIGHT = 26.0
OUTPUT_Y = 312.0  # y at which the output turns to the words
OUTPUT_X = 136.0  # x at which it rises to the first word
BARS = 164.0  # x of the bars
LAYERS_PER_LABEL = 10  # layers per label; the last layer has one, too
BAR_DISTANCE = 76.0  # distance of the bars
FIRST_BAR = 34.0
BAR_HEIGHT = 20.0


def build() -> Explorable:
    """Build the figure of the residual stream at a text's last word, and of likely next words."""
    end = last_token(TEXT)
    division = VARIANTS.index(DIVISION)
    captions = CAPTIONS.render(
        {
            "divided": end.tokens[division][0].strip(),
            "chance": number(float(end.probabilities[division, 0]), "2"),
            "model": SMOLLM2.label,
            "word": end.token.strip(),
            "norms": len(end.stream),
            "layers": end.layers,
        }
    )
    return Explorable(
        title=captions.title,
        controls=(NORM,),
        tensors=_tensors(end),
        views=(tuple(_diagram(end, way) for way in (ON, OFF)), captions.readouts),
        code=load_program(
            __file__,
            size=f"{end.stream[-1]:.1f}",
            width=str(stored_records(SMOLLM2.key).gains.shape[1]),
        ),
        steps=captions.steps,
    )


def _tensors(end: LastToken) -> dict[str, SweptTensor]:
    ways = [VARIANTS.index(way) for way in (WHOLE, BARE)]
    handed, chances = end.rms[ways], end.probabilities[ways]
    tensors = {f"sum {at}": SweptTensor((), size, 4) for at, size in enumerate(end.stream)}
    tensors |= {"first": tensors["sum 0"], "last": tensors[f"sum {len(end.stream) - 1}"]}
    tensors |= {
        name: SweptTensor((NORM.name,), values, 4)
        for name, values in {
            "handed": handed,
            "times": handed / handed[0],
            "others": 1 - chances.sum(1),
            **{f"chance {rank}": chances[:, rank] for rank in range(TOP_TOKENS)},
        }.items()
    }
    for rank in range(TOP_TOKENS):
        words = tuple(end.tokens[way][rank].strip() for way in ways)
        tensors[f"word {rank}"] = SweptTensor(
            (NORM.name,), torch.arange(len(words)).float(), 0, words
        )
    return tensors


def _diagram(end: LastToken, way: str) -> Diagram:
    is_on = way == ON
    return Diagram(
        f"{TEXT} {{word 0: stat}}",
        NORM.name,
        tuple(_boxes(end, is_on)),
        tuple(_arrows(end, is_on)),
        (WIDTH, HEIGHT),
        f"A line that widens from layer to layer: the running sum of {SMOLLM2.label} after "
        f"“{TEXT},” {{final norm}}. Its root mean square is {{first:1}} before the first of "
        f"{len(end.stream)} norms and {{last:1}} after the last layer; {{handed:1}} reaches the "
        "vocabulary. The likeliest next words: {word 0} {chance 0:2}, {word 1} {chance 1:2}, "
        "{word 2} {chance 2:2}, all others {others:2}.",
        scale=SCALE,
        bars=tuple(_bars(is_on)),
        when={NORM.name: (way,)},
    )


def _norm_ys(end: LastToken) -> list[float]:
    """Return the y coordinate of each norm in the diagram, from the first to the final one."""
    places = len(end.stream) - 1
    return [TOP + (BOTTOM - TOP) * at / places for at in range(places + 1)]


def _boxes(end: LastToken, is_on: bool) -> Iterator[DiagramBox]:
    heights = _norm_ys(end)
    for at, y in enumerate(heights[:-1]):
        yield DiagramBox((_norm_x(at), y), (DOT, DOT), "", token=RMS.key, round=True, filled=True)
    last = end.layers - 1
    for layer in (*range(0, last - 1, LAYERS_PER_LABEL), last):
        yield DiagramBox((10.0, heights[2 * layer]), (0.0, 0.0), str(layer))
    yield DiagramBox(
        (STREAM, FINAL_NORM),
        (92.0, BOX_HEIGHT),
        "final norm",
        at=(1,) if is_on else (0,),  # a click removes it, or brings it back
        token=RMS.key if is_on else "",
        dotted=not is_on,
        filled=is_on,
    )
    yield DiagramBox((STREAM + 44, BOTTOM - 6), (0.0, 0.0), "{last:1}")
    if is_on:
        yield DiagramBox((STREAM + 32, OUTPUT_Y - 10), (0.0, 0.0), "{handed:1}")


def _norm_x(at: int) -> float:
    """Return a norm's x coordinate: left for attention's norms, right for feed-forward norms."""
    return STREAM + (NORM_OFFSET if at % 2 else -NORM_OFFSET)


def _arrows(end: LastToken, is_on: bool) -> Iterator[DiagramArrow]:
    heights = _norm_ys(end)
    for at, y in enumerate(heights[:-1]):
        yield DiagramArrow(((STREAM, y), (_norm_x(at), y)), head=False, token="line")
    for at, (above, below) in enumerate(pairwise(heights)):
        yield _stream_line(f"sum {at}", (STREAM, above), (STREAM, below + 0.5))
    yield _stream_line("last", (STREAM, BOTTOM), (STREAM, FINAL_NORM))
    token = RMS.key if is_on else "failure"
    corners = (
        (STREAM, FINAL_NORM + BOX_HEIGHT / 2),
        (STREAM, OUTPUT_Y),
        (OUTPUT_X, OUTPUT_Y),
        (OUTPUT_X, FIRST_BAR),
    )
    yield DiagramArrow((*corners, (BARS - 4, FIRST_BAR)), head=is_on, width="handed", token=token)


def _stream_line(width: str, *way: tuple[float, float]) -> DiagramArrow:
    return DiagramArrow(way, head=False, width=width)


def _bars(is_on: bool) -> Iterator[DiagramBar]:
    token = RMS.key if is_on else "failure"
    size = (WIDTH - BARS, BAR_HEIGHT)
    for rank in range(TOP_TOKENS):
        place = (BARS, FIRST_BAR - BAR_HEIGHT / 2 + rank * BAR_DISTANCE)
        yield DiagramBar(
            place, size, f"chance {rank}", f"{{word {rank}}}", f"{{chance {rank}:2}}", token
        )
    place = (BARS, FIRST_BAR - BAR_HEIGHT / 2 + TOP_TOKENS * BAR_DISTANCE)
    yield DiagramBar(place, size, "others", "all others", "{others:2}")


FIGURE = FigureSpec("final-norm", build)
