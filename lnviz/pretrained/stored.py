"""What is shown where no model is installed: a dozen texts, a page, and what was learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import torch
from torch import Tensor

from lnviz.pretrained.loading import load
from lnviz.pretrained.outliers import OTHERS, Zeroed
from lnviz.pretrained.packages import MINILM, PACKAGES, SMOLLM2
from lnviz.pretrained.passages import PAGE, SENTENCES
from lnviz.pretrained.records import (
    EPSILONS,
    GUESSES,
    KINDS,
    LARGEST,
    Guesses,
    Record,
    Swaps,
    epsilons_alone,
    take,
)
from lnviz.pretrained.swaps import gain
from lnviz.results.arrays import ArrayDataset, Axes, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact, Result
from lnviz.rounding import rounded_tuples

READ = ("x_rms", "x_mean", "y_rms", "y_mean")
RANKED = ("largest", "x_largest", "y_largest")
GUESSED = ("normed", "bare")
SWAPPED: dict[str, tuple[str, ...]] = {
    "loss": (),
    "together": ("kind",),
    "alone": ("place", "kind"),
    "epsilons": ("epsilon",),
}
"""Losses with norms replaced, and the axes that they stand along."""


@dataclass(frozen=True)
class Specification:
    """Which texts go through which model.

    Attributes:
        model: its key.
        sha256: the SHA-256 of the file of its weights.
        texts: what it reads; losses with epsilons in one place are taken of the last one.
    """

    model: str
    sha256: str
    texts: tuple[str, ...] = (*SENTENCES, PAGE)


def make(specification: Specification, on: torch.device, report: ProgressCallback) -> ArrayDataset:
    """Take all records of a model.

    Args:
        specification: the model and its texts.
        on: the device, that of `lnviz.device`.
        report: called after every text.

    Returns:
        What the attributes of `Record` are called. The tokens of all texts stand one behind the
        other, `token_text` says of which text each is; words are places along the axis `word`.
        Losses are NaN where there is none. `epsilons_alone`, and the norms' `gains` and `biases`.

    Raises:
        Unavailable: the model is not installed.
    """
    model = load(specification.model)
    records = []
    for text in specification.texts:
        records.append(take(model, text))
        report(model.package.label, len(records))
    norms = model.norms.values()
    learned = {"gains": list(map(gain, norms))}
    biases: list[Tensor] = [norm.bias for norm in norms if norm.bias is not None]
    if biases:
        learned["biases"] = biases
    alone = epsilons_alone(model, model.ids(specification.texts[-1]))
    return arrays(records, alone, {name: torch.stack(values) for name, values in learned.items()})


def arrays(
    records: list[Record], alone: tuple[tuple[float | None, ...], ...], learned: dict[str, Tensor]
) -> ArrayDataset:
    """Return records as arrays.

    Args:
        records: the records of the same model.
        alone: losses of the last one with an epsilon in one place only.
        learned: `gains` and `biases`, by norm.
    """
    first = records[0]
    language = first.normed is not None
    words = sorted({w for r in records for g in (r.normed, r.bare) if g for w in _flat(g.words)})
    axes: Axes = {
        "text": tuple(r.text for r in records),
        "token": tuple(token for r in records for token in r.tokens),
        "norm": first.norms,
        "place": first.places,
        "rank": tuple(range(1, LARGEST + 1)),
        "kind": KINDS,
        "epsilon": EPSILONS,
        "other": tuple(range(OTHERS)),
        "unit": tuple(range(learned["gains"].shape[1])),
    }
    counts = torch.tensor([len(r.tokens) for r in records])
    by_name = {
        "token_text": NamedArray(("token",), torch.arange(len(records)).repeat_interleave(counts)),
        "epsilons_alone": NamedArray(("place", "epsilon"), _losses(alone)),
        **{name: NamedArray(("norm", "unit"), values) for name, values in learned.items()},
    }
    for name in (*READ, *RANKED):
        ranks = ("rank",) if name in RANKED else ()
        joined = torch.cat([torch.tensor(getattr(r, name)) for r in records], 1)
        by_name[name] = NamedArray(("norm", "token", *ranks), joined)
    if language:
        axes |= {
            "stream": tuple(range(len(first.places))),
            "guess": tuple(range(1, GUESSES + 1)),
            "word": tuple(words),
        }
        index = {word: at for at, word in enumerate(words)}
        for name in GUESSED:
            guesses: list[Guesses] = [getattr(r, name) for r in records]
            places = [_deep(g.words, index.__getitem__) for g in guesses]
            chances = [g.chances for g in guesses]
            for part, nested in {"words": places, "chances": chances}.items():
                joined = torch.cat([torch.tensor(one) for one in nested], 1)
                by_name[f"{name}_{part}"] = NamedArray(("stream", "token", "guess"), joined)
    for name, along in SWAPPED.items():
        by_name[f"swaps_{name}"] = NamedArray(
            ("text", *along), torch.stack([_losses(getattr(r.swaps, name)) for r in records])
        )
    for name in ("component", "token"):
        values = torch.tensor([getattr(r.zeroed, name) for r in records])
        by_name[f"zeroed_{name}"] = NamedArray(("text",), values)
    for name in ("loss", "at_token", "at_others", "other"):
        by_name[f"zeroed_{name}"] = NamedArray(
            ("text", "other") if name == "other" else ("text",),
            torch.stack([_losses(getattr(r.zeroed, name)) for r in records]),
        )
    return ArrayDataset(axes, by_name)


class Kept:
    """What is kept of a model.

    Args:
        result: the stored arrays.
    """

    def __init__(self, result: Result[Specification]) -> None:
        self._result = result
        self._records: dict[str, Record] = {}

    @property
    def sentences(self) -> tuple[Record, ...]:
        """The record of each sentence."""
        return tuple(map(self.record, SENTENCES))

    @property
    def page(self) -> Record:
        """The record of the page on which losses are taken."""
        return self.record(PAGE)

    @property
    def gains(self) -> Tensor:
        """The gains of the norms (S, D), in the order of the records' norms."""
        return self._result.tensor("gains", "norm", "unit")

    @property
    def biases(self) -> Tensor | None:
        """The biases of the norms (S, D); None where norms have none."""
        named = "biases" in self._result.arrays
        return self._result.tensor("biases", "norm", "unit") if named else None

    @cached_property
    def epsilons_alone(self) -> tuple[tuple[float | None, ...], ...]:
        """Losses on the page with one of `EPSILONS` in one place only."""
        losses: tuple[tuple[float | None, ...], ...] = rounded_tuples(
            self._result.tensor("epsilons_alone", "place", "epsilon")
        )
        return losses

    def record(self, text: str) -> Record:
        """Return what is kept of a text."""
        if text not in self._records:
            self._records[text] = self._record(text)
        return self._records[text]

    def _record(self, text: str) -> Record:
        result, at = self._result, self._result.index("text", text)
        (mine,) = (result.tensor("token_text", "token") == at).nonzero(as_tuple=True)
        span = slice(int(mine[0]), int(mine[-1]) + 1)

        def joined(name: str) -> Any:
            """An array whose second axis is that of the tokens, those of this text."""
            return _frozen(result.arrays[name].values[:, span].tolist())

        def losses(name: str) -> Any:
            return rounded_tuples(result.arrays[name].values[at])

        def guesses(name: str) -> Guesses | None:
            if f"{name}_words" not in result.arrays:
                return None
            word = result.labels("word").__getitem__
            return Guesses(_deep(joined(f"{name}_words"), word), joined(f"{name}_chances"))

        zeroed = {name: losses(f"zeroed_{name}") for name in ("loss", "at_token", "at_others")}
        return Record(
            model=result.specification.model,
            text=text,
            tokens=result.labels("token")[span],
            norms=result.labels("norm"),
            places=result.labels("place"),
            **{name: joined(name) for name in (*READ, *RANKED)},
            normed=guesses("normed"),
            bare=guesses("bare"),
            swaps=Swaps(**{name: losses(f"swaps_{name}") for name in SWAPPED}),
            zeroed=Zeroed(
                component=int(result.tensor("zeroed_component", text=text)),
                token=int(result.tensor("zeroed_token", text=text)),
                **zeroed,
                other=losses("zeroed_other"),
            ),
        )


def _losses(values: Any) -> Tensor:
    """Losses, NaN where there is none."""
    return torch.tensor(_deep(values, lambda value: torch.nan if value is None else value))


def _deep(values: Any, of: Callable[[Any], Any]) -> Any:
    """Nested tuples with something said of every item."""
    return tuple(_deep(item, of) for item in values) if isinstance(values, tuple) else of(values)


def _frozen(values: Any) -> Any:
    return tuple(map(_frozen, values)) if isinstance(values, list) else values


def _flat(words: tuple[tuple[tuple[str, ...], ...], ...]) -> tuple[str, ...]:
    return tuple(word for layer in words for place in layer for word in place)


def _stored(key: str) -> Artifact[Specification]:
    package = PACKAGES[key]
    return Artifact(
        key,
        f"Texts in the published model {package.label}.",
        "inside",
        make,
        Specification(key, package.files[0].sha256),
        {"texts": SENTENCES[:1]},
        count_steps=lambda s: len(s.texts),
    )


SMOLLM2_TEXTS, MINILM_TEXTS = map(_stored, (SMOLLM2.key, MINILM.key))
STORED = {stored.name: stored for stored in (SMOLLM2_TEXTS, MINILM_TEXTS)}


@cache
def kept(model: str) -> Kept:
    """Return what is kept of a model, by its key.

    >>> len(kept("smollm2").sentences)
    12
    """
    return Kept(STORED[model].result)
