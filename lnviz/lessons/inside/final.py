"""A language model's next-token probabilities with all, half or none of its final norm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from lnviz.explorable import (
    Choice,
    Diagram,
    DiagramArrow,
    DiagramBox,
    Explorable,
    Option,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.inside.reading import SENTENCE, token_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.norms import RMS
from lnviz.pretrained.final_norm import (
    BARE,
    DIVISION,
    FINAL_NORM,
    GAINS,
    TOP_TOKENS,
    VARIANTS,
    WHOLE,
)
from lnviz.pretrained.last_token import LastToken, last_token
from lnviz.pretrained.packages import SMOLLM2
from lnviz.pretrained.sample_texts import SENTENCES

PROMPT = replace(SENTENCE, name="prompt")
NORM = Choice(
    "final norm",
    (
        Option(WHOLE, "as trained", code="w * x / rms"),
        Option(BARE, "removed", code="x"),
        Option(DIVISION, "divides only", code="x / rms"),
        Option(GAINS, "gains only", code="w * x"),
    ),
    DIVISION,
)
DIVIDES, MULTIPLIES = (WHOLE, DIVISION), (WHOLE, GAINS)
RANKS = ("1st", "2nd", "3rd")
OTHERS = "others"
CAPTIONS = load_captions(__file__)

SIZE = (400.0, 230.0)
MIDDLE = 110.0  # the height of the stream
WIDEST, SURE = 104.0, 40.0  # pixels: the widest stream, and a probability of 1
LENGTH = 236.0  # of the stream through all layers
LAP = 0.5  # overlap of the stream's pieces, which hides seams
DIVIDER, MULTIPLIER = (272.0, 62.0), (350.0, 68.0)  # middles of the norm's halves, and widths
TALL = 122.0  # their height
LOGITS, HIGH = (64.0, 72.0), 36.0
FORK, ROWS = 64.0, 176.0  # where branches begin, below the box of logits, and where they end
WIDE = 216.0  # of a guess's box
EVERY = 10  # layers from label to label
FOOT = MIDDLE + TALL / 2 + 18


def build(prompt: str = PROMPT.start) -> Explorable:
    """Build the figure of the language model's final norm at the last token of a stored text."""
    text = SENTENCES[int(prompt) - 1]
    end = last_token(text)
    stream = end.stream[::2]  # in front of each layer, and after the last
    captions = CAPTIONS.render({"model": SMOLLM2.label, "made": FINAL_NORM.result.header.made_with})
    widest = float(torch.cat([stream, end.rms]).max())
    return Explorable(
        title=captions.title,
        controls=(NORM,),
        tensors=_tensors(end, stream),
        views=(
            tuple(
                view
                for way in VARIANTS
                for view in (_road(way, len(stream), WIDEST / widest), _branches(way))
            ),
            captions.readouts,
        ),
        code=load_program(__file__),
        steps=captions.steps,
    )


def _tensors(end: LastToken, stream: Tensor) -> dict[str, SweptTensor]:
    """Return tensors of the residual stream's RMS by layer, and of the likeliest next tokens."""
    size, chances = end.rms, end.probabilities
    between = torch.stack(
        [size[VARIANTS.index(DIVISION if w in DIVIDES else BARE)] for w in VARIANTS]
    )
    numbers = {"between": between, "after": size, OTHERS: 1 - chances.sum(-1)}
    order = [VARIANTS.index(option.value) for option in NORM.options]

    def swept(values: Tensor) -> SweptTensor:
        return SweptTensor((NORM.name,), values[order].contiguous())

    tensors = {name: swept(values) for name, values in numbers.items()}
    tensors |= {f"{rank} chance": swept(chances[:, at]) for at, rank in enumerate(RANKS)}
    for at, rank in enumerate(RANKS):
        tensors[rank] = token_tensor([end.tokens[way][at] for way in order], NORM.name)
    for layer, width in enumerate(stream):
        tensors[f"stream {layer}"] = SweptTensor((), width)
    tensors["whole chance"] = SweptTensor((), chances[VARIANTS.index(WHOLE), 0])
    tensors["as trained"] = token_tensor([end.tokens[VARIANTS.index(WHOLE)][0]])
    return tensors


def _road(way: str, streams: int, scale: float) -> Diagram:
    """Draw the residual stream from the embedding to the final norm, with its RMS as the width."""
    step = LENGTH / streams
    return Diagram(
        "The residual stream, layer by layer",
        NORM.name,
        (*_halves(way), *_labels(streams, step)),
        (
            *(
                _piece(step * at, step * (at + 1) + LAP, f"stream {at}")
                for at in range(streams - 1)
            ),
            _piece(step * (streams - 1), DIVIDER[0], f"stream {streams - 1}"),
            _piece(DIVIDER[0], MULTIPLIER[0], "between"),
            _piece(MULTIPLIER[0], SIZE[0], "after"),
        ),
        SIZE,
        f"The residual stream through {streams - 1} layers. Its width is its root mean square: "
        f"{{stream 0:g2}} at the start, {{stream {streams - 1}:1}} at the end. The final norm, "
        "{final norm}, makes it {after:1}.",
        scale=scale,
        when={NORM.name: (way,)},
    )


def _piece(start: float, end: float, width: str) -> DiagramArrow:
    return DiagramArrow(((start, MIDDLE), (end, MIDDLE)), head=False, width=width)


def _halves(way: str) -> Iterator[DiagramBox]:
    """Draw the division and the gain of the final norm; a click removes or restores each."""
    for text, (x, width), with_it in (
        ("÷ RMS", DIVIDER, DIVIDES),
        ("× gains", MULTIPLIER, MULTIPLIES),
    ):
        (other,) = (o for o in VARIANTS if o != way and _differ_in(way, o) == {with_it})
        yield DiagramBox(
            (x, MIDDLE),
            (width, TALL),
            text,
            at=(NORM.index(other),),
            token=RMS.key if way in with_it else "",
            dotted=way not in with_it,
            filled=way in with_it,
        )


def _differ_in(one: str, other: str) -> set[tuple[str, ...]]:
    """Return the halves of the final norm (division, gain) that only one of two variants has."""
    return {half for half in (DIVIDES, MULTIPLIES) if (one in half) != (other in half)}


def _labels(streams: int, step: float) -> Iterator[DiagramBox]:
    """Write layer numbers below the residual stream, and its RMS above it."""
    for layer in range(EVERY, streams - 1, EVERY):
        yield _label(step * (layer + 0.5), FOOT, str(layer))
    yield _label(step / 2, FOOT, "0")
    yield _label(LENGTH - 16, FOOT, "layer")
    for x, text in (
        (30.0, "{stream 0:g2}"),
        (LENGTH - 24, f"{{stream {streams - 1}:1}}"),
        ((DIVIDER[0] + MULTIPLIER[0]) / 2, "{between:1}"),
        (SIZE[0] - 14, "{after:1}"),
    ):
        yield _label(x, 30, text)


def _label(x: float, y: float, text: str) -> DiagramBox:
    return DiagramBox((x, y), (0.0, 0.0), text)


def _branches(way: str) -> Diagram:
    """Draw the likeliest next tokens as branches whose widths show their probabilities."""
    guesses = (*((f"“{{{rank}}}”", f"{rank} chance") for rank in RANKS), ("all others", OTHERS))
    heights = [24 + 58.0 * at for at in range(TOP_TOKENS + 1)]
    return Diagram(
        "The most likely next tokens",
        NORM.name,
        (
            DiagramBox((LOGITS[0], MIDDLE), (LOGITS[1], HIGH), "logits"),
            *(
                DiagramBox(
                    (ROWS + WIDE / 2, y),
                    (WIDE, HIGH),
                    f"{text}   {{{chance}:2}}",
                    token=RMS.key if text == guesses[0][0] else "",
                )
                for y, (text, chance) in zip(heights, guesses, strict=True)
            ),
        ),
        (
            DiagramArrow(((0.0, MIDDLE), (LOGITS[0] - LOGITS[1] / 2, MIDDLE))),
            *(
                DiagramArrow(
                    ((FORK, MIDDLE), (ROWS + LAP, y)), head=False, width=chance, token=RMS.key
                )
                for y, (_, chance) in zip(heights, guesses, strict=True)
            ),
        ),
        SIZE,
        "The most likely next tokens, with the final norm {final norm}: "
        + ", ".join(f"{text} {{{chance}:2}}" for text, chance in guesses)
        + ".",
        scale=SURE,
        when={NORM.name: (way,)},
    )


FIGURE = FigureSpec("final", build, (PROMPT,))
