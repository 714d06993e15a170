"""Precomputed `TextRecord`s of the published models, for servers where no model is installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import torch
from torch import Tensor

from lnviz.pretrained.loading import load
from lnviz.pretrained.massive_activations import CONTROL_COMPONENTS, ComponentAblation
from lnviz.pretrained.packages import MINILM, PACKAGES, SMOLLM2
from lnviz.pretrained.records import (
    EPSILONS,
    SWAP_KINDS,
    TOP_COMPONENTS,
    TOP_TOKENS,
    LensTokens,
    SwapLosses,
    TextRecord,
    epsilon_losses_by_location,
    record_text,
)
from lnviz.pretrained.sample_texts import PASSAGE, SENTENCES
from lnviz.pretrained.swaps import gain_of
from lnviz.results.arrays import ArrayDataset, Axes, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact, Result
from lnviz.rounding import rounded_tuples

PER_TOKEN_FIELDS = ("x_rms", "x_mean", "y_rms", "y_mean")
RANKED_FIELDS = ("largest", "x_largest", "y_largest")
LENS_FIELDS = ("normed", "bare")
SWAP_LOSS_AXES: dict[str, tuple[str, ...]] = {
    "loss": (),
    "together": ("kind",),
    "alone": ("place", "kind"),
    "epsilons": ("epsilon",),
}
"""Fields of `SwapLosses`, with their axes."""


@dataclass(frozen=True)
class TextsSpecification:
    """Settings for computing `TextRecord`s: the model and its input texts.

    Attributes:
        model: key of the model.
        sha256: SHA-256 of the weight file.
        texts: the input texts. Losses with epsilon changed at one location are computed for the
            last text only.
    """

    model: str
    sha256: str
    texts: tuple[str, ...] = (*SENTENCES, PASSAGE)


def compute_records(
    specification: TextsSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Compute the `TextRecord` of each sample text in one model, as arrays to store.

    Args:
        specification: the settings.
        on: the device, as returned by `lnviz.device`.
        report: called after every text.

    Returns:
        Arrays named after the fields of `TextRecord`, `epsilons_alone`, and the norms' `gains` and
        `biases`. The tokens of all texts are concatenated; `token_text` has the index of the text
        that each token belongs to. Words are indices along the axis `word`. Missing losses are NaN.

    Raises:
        ModelUnavailable: the model is not installed.
    """
    model = load(specification.model)
    records = []
    for text in specification.texts:
        records.append(record_text(model, text))
        report(model.package.label, len(records))
    norms = model.norms.values()
    learned = {"gains": list(map(gain_of, norms))}
    biases: list[Tensor] = [norm.bias for norm in norms if norm.bias is not None]
    if biases:
        learned["biases"] = biases
    alone = epsilon_losses_by_location(model, model.ids(specification.texts[-1]))
    return to_arrays(
        records, alone, {name: torch.stack(values) for name, values in learned.items()}
    )


def to_arrays(
    records: list[TextRecord],
    alone: tuple[tuple[float | None, ...], ...],
    learned: dict[str, Tensor],
) -> ArrayDataset:
    """Convert the `TextRecord`s of one model to named arrays for storage.

    Args:
        records: the records of one model.
        alone: losses of the last record with epsilon changed at one location, by location.
        learned: `gains` and `biases`, by norm.
    """
    first = records[0]
    language = first.normed is not None
    words = sorted(
        {w for r in records for g in (r.normed, r.bare) if g for w in _flatten_words(g.words)}
    )
    axes: Axes = {
        "text": tuple(r.text for r in records),
        "token": tuple(token for r in records for token in r.tokens),
        "norm": first.norms,
        "place": first.locations,
        "rank": tuple(range(1, TOP_COMPONENTS + 1)),
        "kind": SWAP_KINDS,
        "epsilon": EPSILONS,
        "other": tuple(range(CONTROL_COMPONENTS)),
        "unit": tuple(range(learned["gains"].shape[1])),
    }
    counts = torch.tensor([len(r.tokens) for r in records])
    by_name = {
        "token_text": NamedArray(("token",), torch.arange(len(records)).repeat_interleave(counts)),
        "epsilons_alone": NamedArray(("place", "epsilon"), _losses_tensor(alone)),
        **{name: NamedArray(("norm", "unit"), values) for name, values in learned.items()},
    }
    for name in (*PER_TOKEN_FIELDS, *RANKED_FIELDS):
        ranks = ("rank",) if name in RANKED_FIELDS else ()
        joined = torch.cat([torch.tensor(getattr(r, name)) for r in records], 1)
        by_name[name] = NamedArray(("norm", "token", *ranks), joined)
    if language:
        axes |= {
            "stream": tuple(range(len(first.locations))),
            "guess": tuple(range(1, TOP_TOKENS + 1)),
            "word": tuple(words),
        }
        index = {word: at for at, word in enumerate(words)}
        for name in LENS_FIELDS:
            guesses: list[LensTokens] = [getattr(r, name) for r in records]
            places = [_map_nested(g.words, index.__getitem__) for g in guesses]
            chances = [g.probabilities for g in guesses]
            for part, nested in {"words": places, "chances": chances}.items():
                joined = torch.cat([torch.tensor(one) for one in nested], 1)
                by_name[f"{name}_{part}"] = NamedArray(("stream", "token", "guess"), joined)
    for name, along in SWAP_LOSS_AXES.items():
        by_name[f"swaps_{name}"] = NamedArray(
            ("text", *along), torch.stack([_losses_tensor(getattr(r.swaps, name)) for r in records])
        )
    for name in ("component", "token"):
        values = torch.tensor([getattr(r.zeroed, name) for r in records])
        by_name[f"zeroed_{name}"] = NamedArray(("text",), values)
    for name in ("loss", "at_token", "at_others", "other"):
        by_name[f"zeroed_{name}"] = NamedArray(
            ("text", "other") if name == "other" else ("text",),
            torch.stack([_losses_tensor(getattr(r.zeroed, name)) for r in records]),
        )
    return ArrayDataset(axes, by_name)


class StoredRecords:
    """The `TextRecord`s of one model, restored from stored arrays.

    Args:
        result: the stored arrays.
    """

    def __init__(self, result: Result[TextsSpecification]) -> None:
        self._result = result
        self._records: dict[str, TextRecord] = {}

    @property
    def sentence_records(self) -> tuple[TextRecord, ...]:
        """The `TextRecord` of each sample sentence."""
        return tuple(map(self.record, SENTENCES))

    @property
    def passage_record(self) -> TextRecord:
        """The `TextRecord` of the passage on which losses are measured."""
        return self.record(PASSAGE)

    @property
    def gains(self) -> Tensor:
        """The gain vectors of the model's norms, in order of execution; shape (S, D)."""
        return self._result.tensor("gains", "norm", "unit")

    @property
    def biases(self) -> Tensor | None:
        """The bias vectors of the model's norms, shape (S, D); None for a model without biases."""
        named = "biases" in self._result.arrays
        return self._result.tensor("biases", "norm", "unit") if named else None

    @cached_property
    def epsilon_losses_by_location(self) -> tuple[tuple[float | None, ...], ...]:
        """The passage's losses with epsilon changed at one location, by location and epsilon."""
        losses: tuple[tuple[float | None, ...], ...] = rounded_tuples(
            self._result.tensor("epsilons_alone", "place", "epsilon")
        )
        return losses

    def record(self, text: str) -> TextRecord:
        """Return the `TextRecord` of one of the sample texts."""
        if text not in self._records:
            self._records[text] = self._record(text)
        return self._records[text]

    def _record(self, text: str) -> TextRecord:
        result, at = self._result, self._result.index("text", text)
        (mine,) = (result.tensor("token_text", "token") == at).nonzero(as_tuple=True)
        span = slice(int(mine[0]), int(mine[-1]) + 1)

        def joined(name: str) -> Any:
            """Return this text's part of a stored array, whose axis 1 has all texts' tokens."""
            return _to_tuples(result.arrays[name].values[:, span].tolist())

        def losses(name: str) -> Any:
            return rounded_tuples(result.arrays[name].values[at])

        def guesses(name: str) -> LensTokens | None:
            if f"{name}_words" not in result.arrays:
                return None
            word = result.labels("word").__getitem__
            return LensTokens(_map_nested(joined(f"{name}_words"), word), joined(f"{name}_chances"))

        zeroed = {name: losses(f"zeroed_{name}") for name in ("loss", "at_token", "at_others")}
        return TextRecord(
            model=result.specification.model,
            text=text,
            tokens=result.labels("token")[span],
            norms=result.labels("norm"),
            locations=result.labels("place"),
            **{name: joined(name) for name in (*PER_TOKEN_FIELDS, *RANKED_FIELDS)},
            normed=guesses("normed"),
            bare=guesses("bare"),
            swaps=SwapLosses(**{name: losses(f"swaps_{name}") for name in SWAP_LOSS_AXES}),
            zeroed=ComponentAblation(
                component=int(result.tensor("zeroed_component", text=text)),
                token=int(result.tensor("zeroed_token", text=text)),
                **zeroed,
                other=losses("zeroed_other"),
            ),
        )


def _losses_tensor(values: Any) -> Tensor:
    """Convert nested tuples of losses to a tensor, with NaN instead of None."""
    return torch.tensor(_map_nested(values, lambda value: torch.nan if value is None else value))


def _map_nested(values: Any, of: Callable[[Any], Any]) -> Any:
    """Apply a function to every item in nested tuples."""
    return (
        tuple(_map_nested(item, of) for item in values) if isinstance(values, tuple) else of(values)
    )


def _to_tuples(values: Any) -> Any:
    return tuple(map(_to_tuples, values)) if isinstance(values, list) else values


def _flatten_words(words: tuple[tuple[tuple[str, ...], ...], ...]) -> tuple[str, ...]:
    return tuple(word for layer in words for place in layer for word in place)


def _declare_artifact(key: str) -> Artifact[TextsSpecification]:
    package = PACKAGES[key]
    return Artifact(
        key,
        f"Activations, gains and losses of the published model {package.label} on a dozen texts.",
        "inside",
        compute_records,
        TextsSpecification(key, package.files[0].sha256),
        {"texts": SENTENCES[:1]},
        count_steps=lambda s: len(s.texts),
    )


SMOLLM2_TEXTS, MINILM_TEXTS = map(_declare_artifact, (SMOLLM2.key, MINILM.key))
ARTIFACTS = {stored.name: stored for stored in (SMOLLM2_TEXTS, MINILM_TEXTS)}


@cache
def stored_records(model: str) -> StoredRecords:
    """Return the `StoredRecords` of the published model with this key.

    >>> len(stored_records("smollm2").sentence_records)
    12
    """
    return StoredRecords(ARTIFACTS[model].result)
