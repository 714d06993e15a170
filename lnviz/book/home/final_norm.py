"""The next word of a published model, with its final norm and without it."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from lnviz.explorable import (
    Arrow,
    Bar,
    Box,
    Choice,
    Diagram,
    Explorable,
    Option,
    Swept,
    program,
)
from lnviz.lessons.lesson import Figure
from lnviz.lessons.words import words
from lnviz.norms import RMS
from lnviz.topics.pretrained.packages import SMOLLM2
from lnviz.topics.pretrained.passages import SENTENCES
from lnviz.topics.pretrained.records import GUESSES, Guesses, Record
from lnviz.topics.pretrained.stored import kept

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
WORDS = words(__file__)

WIDTH, HEIGHT = 400.0, 336.0
SCALE = 1.2  # pixels of the road's width to a root mean square of 1
STREAM = 60.0  # the middle of the road
TOP, BOTTOM = 16.0, 256.0  # where the first norm reads the sum, and the last one
BESIDE = 24.0  # from the middle of the road to a norm beside it
DOT = 5.0
BOX = 276.0  # the middle of the final norm
HIGH = 26.0
TURN = 312.0  # where what goes on turns to the words
RISE = 136.0  # where it rises to the first word
BARS = 164.0  # where the bars begin
NUMBERED = 10  # layers from a number to the next; the last layer has one, too
ROW = 76.0  # from a bar to the next
FIRST = 34.0
THICK = 20.0


def build() -> Explorable:
    """Build the running sum of the model at the last word, and the words that may come next."""
    record = kept(SMOLLM2.key).record(TEXT)
    said = WORDS.said(
        {
            "model": SMOLLM2.label,
            "word": record.tokens[-1].strip(),
            "norms": len(record.norms),
            "layers": len(record.norms) // 2,
        }
    )
    return Explorable(
        title=said.title,
        controls=(NORM,),
        tensors=_tensors(record),
        views=(tuple(_diagram(record, way) for way in (ON, OFF)), said.readouts),
        code=program(
            __file__,
            size=f"{record.x_rms[-1][-1]:.1f}",
            width=str(kept(SMOLLM2.key).gains.shape[1]),
        ),
    )


def _tensors(record: Record) -> dict[str, Swept]:
    assert record.normed is not None
    assert record.bare is not None
    sums = [of_tokens[-1] for of_tokens in record.x_rms]  # at the last word, before every norm
    handed = torch.tensor([record.y_rms[-1][-1], sums[-1]])
    chances = torch.tensor([_last(guesses.chances) for guesses in (record.normed, record.bare)])
    tensors = {f"sum {at}": Swept((), torch.tensor(size), 4) for at, size in enumerate(sums)}
    tensors |= {"first": tensors["sum 0"], "last": tensors[f"sum {len(sums) - 1}"]}
    tensors |= {
        name: Swept((NORM.name,), values, 4)
        for name, values in {
            "handed": handed,
            "times": handed / handed[0],
            "others": 1 - chances.sum(1),
            **{f"chance {rank}": chances[:, rank] for rank in range(GUESSES)},
        }.items()
    }
    return tensors | {f"word {rank}": _word(record, rank) for rank in range(GUESSES)}


def _last(values: tuple[tuple[tuple[float, ...], ...], ...]) -> tuple[float, ...]:
    """What is read after the last layer, at the last word."""
    return values[-1][-1]


def _word(record: Record, rank: int) -> Swept:
    ways: tuple[Guesses | None, ...] = (record.normed, record.bare)
    found = tuple(way.words[-1][-1][rank].strip() for way in ways if way)
    return Swept((NORM.name,), torch.arange(len(found)).float(), 0, found)


def _diagram(record: Record, way: str) -> Diagram:
    is_on = way == ON
    return Diagram(
        f"{TEXT} {{word 0: stat}}",
        NORM.name,
        tuple(_boxes(record, is_on)),
        tuple(_arrows(record, is_on)),
        (WIDTH, HEIGHT),
        f"The running sum of {SMOLLM2.label} after “{TEXT}”, {{final norm}}. Before the first of "
        f"{len(record.norms)} norms its root mean square is {{first:1}}, after the last layer "
        "{last:1}. To the words goes {handed:1}. Their probabilities: {word 0} {chance 0:2}, "
        "{word 1} {chance 1:2}, {word 2} {chance 2:2}, all others {others:2}.",
        scale=SCALE,
        bars=tuple(_bars(is_on)),
        when={NORM.name: (way,)},
    )


def _heights(record: Record) -> list[float]:
    """Where the norms read the sum, from the first to the final one."""
    places = len(record.norms) - 1
    return [TOP + (BOTTOM - TOP) * at / places for at in range(places + 1)]


def _boxes(record: Record, is_on: bool) -> Iterator[Box]:
    heights = _heights(record)
    for at, y in enumerate(heights[:-1]):
        yield Box((_side(at), y), (DOT, DOT), "", token=RMS.key, round=True, filled=True)
    last = len(record.norms) // 2 - 1
    for layer in (*range(0, last - 1, NUMBERED), last):
        yield Box((10.0, heights[2 * layer]), (0.0, 0.0), str(layer))
    yield Box(
        (STREAM, BOX),
        (92.0, HIGH),
        "final norm",
        at=(1,) if is_on else (0,),  # a click takes it away, or puts it back
        token=RMS.key if is_on else "",
        dotted=not is_on,
        filled=is_on,
    )
    yield Box((STREAM + 44, BOTTOM - 6), (0.0, 0.0), "{last:1}")
    if is_on:
        yield Box((STREAM + 32, TURN - 10), (0.0, 0.0), "{handed:1}")


def _side(at: int) -> float:
    """Norms of attention are drawn on the left of the road, the others on the right."""
    return STREAM + (BESIDE if at % 2 else -BESIDE)


def _arrows(record: Record, is_on: bool) -> Iterator[Arrow]:
    heights = _heights(record)
    for at, y in enumerate(heights[:-1]):
        yield Arrow(((STREAM, y), (_side(at), y)), head=False, token="line")
    lower = heights[1:]
    for at, (start, end) in enumerate(zip(heights[:-1], lower, strict=True)):
        yield _road(f"sum {at}", (STREAM, start), (STREAM, end + 0.5))
    yield _road("last", (STREAM, BOTTOM), (STREAM, BOX))
    token = RMS.key if is_on else "failure"
    corners = ((STREAM, BOX + HIGH / 2), (STREAM, TURN), (RISE, TURN), (RISE, FIRST))
    yield Arrow((*corners, (BARS - 4, FIRST)), head=is_on, width="handed", token=token)


def _road(width: str, *way: tuple[float, float]) -> Arrow:
    return Arrow(way, head=False, width=width)


def _bars(is_on: bool) -> Iterator[Bar]:
    token = RMS.key if is_on else "failure"
    size = (WIDTH - BARS, THICK)
    for rank in range(GUESSES):
        place = (BARS, FIRST - THICK / 2 + rank * ROW)
        yield Bar(place, size, f"chance {rank}", f"{{word {rank}}}", f"{{chance {rank}:2}}", token)
    place = (BARS, FIRST - THICK / 2 + GUESSES * ROW)
    yield Bar(place, size, "others", "all others", "{others:2}")


FIGURE = Figure("final-norm", build)
