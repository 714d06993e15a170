"""The figures of /inside for text that the reader enters."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from lnviz.explorable import EnumParameter, Explorable, Option, ParameterError, TextParameter
from lnviz.lessons.inside import lens, massive, stream, swap
from lnviz.lessons.inside.reading import MODEL, with_url_prefix
from lnviz.lessons.lesson import FigureSpec
from lnviz.pretrained import PACKAGES, SMOLLM2, ModelUnavailable, TextError, load
from lnviz.pretrained.records import TextRecord, record_text
from lnviz.pretrained.sample_texts import SENTENCES
from lnviz.pretrained.stored_records import stored_records
from lnviz.pretrained.texts import validate_text

MOST = 128
"""The largest number of tokens in a text that is computed while the reader waits."""
SECONDS = {SMOLLM2.key: (3.0, 0.4), "minilm": (0.7, 0.02)}
"""The computing time of a model in seconds: a constant for any text, and an increment per token."""
BYTES = 4, 2  # per token, about: in English, and in other scripts

TEXT = TextParameter("text", "Your text", SENTENCES[0], validate_text)
OF = replace(MODEL, name="your_model")
FIGURES = {
    "stream": stream.stream_figure,
    "massive": massive.outlier_figure,
    "lens": lens.lens_figure,
    "swap": swap.swap_figure,
}
SHOWN = EnumParameter(
    "figure",
    "Figure",
    (
        Option("stream", "RMS of the stream"),
        Option("massive", "largest components"),
        Option("lens", "guesses by layer"),
        Option("swap", "norms replaced"),
    ),
    "stream",
)


def build(
    text: str = TEXT.start, your_model: str = OF.start, figure: str = SHOWN.start
) -> Explorable:
    """Build a figure of /inside for the reader's own text in a published model.

    Raises:
        ParameterError: The text is too long, the model is not installed, or it has no such figure.
    """
    if figure == "lens" and your_model != SMOLLM2.key:
        raise ParameterError(
            f"{PACKAGES[your_model].label} does not predict the next token. Choose "
            f"{SMOLLM2.label} to see its guesses after each layer.",
            {OF.name: SMOLLM2.key},
        )
    made = FIGURES[figure](_record(your_model, text))
    return replace(with_url_prefix(made, "your"), title=f"Your text: {made.title}")


def _record(model: str, text: str) -> TextRecord:
    known = {record.text: record for record in stored_records(model).sentence_records}
    return known[text] if text in known else _taken(model, text)


@lru_cache(maxsize=8)
def _taken(model: str, text: str) -> TextRecord:
    try:
        read = load(model)
        tokens = len(read.ids(text))
        if tokens > MOST:
            raise TextError(
                f"The text has {tokens} tokens, but at most {MOST} are read here. Shorten it."
            )
        return record_text(read, text)
    except (TextError, ModelUnavailable) as error:
        raise ParameterError(str(error), {TEXT.name: TEXT.start}) from error


def _cost(text: str, your_model: str, figure: str) -> float:
    if text in SENTENCES:
        return 0.5
    least, each = SECONDS[your_model]
    tokens = len(text.encode()) / BYTES[0 if text.isascii() else 1]
    return least + each * min(tokens, MOST)


FIGURE = FigureSpec("yours", build, (TEXT, OF, SHOWN), _cost)
