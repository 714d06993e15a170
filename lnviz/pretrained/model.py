"""A published model that records the inputs and outputs of its norms, and computes losses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lnviz.pretrained.minilm import MiniLM
from lnviz.pretrained.norm_swapping import Swap, norm_locations, swap_norms
from lnviz.pretrained.packages import ModelPackage
from lnviz.pretrained.smollm2 import SmolLM2
from lnviz.pretrained.texts import TextError, validate_text
from lnviz.pretrained.tokens import token_text
from lnviz.progress import subtasks
from lnviz.topics.transformer import NormLayer, ResidualSteps, Transformer

if TYPE_CHECKING:  # only those who have installed a model have it
    from tokenizers import Encoding, Tokenizer

MAX_TOKENS = 512
"""Maximum number of tokens of a text; MiniLM has no more position embeddings."""
LOGIT_ROWS = 256
"""Number of tokens whose logits are in memory at once."""

StreamEdit = Callable[[int, Tensor], Tensor]
"""Changes the residual stream before a block, given the block's index and the stream."""


@dataclass(frozen=True, eq=False)
class NormRecord:
    """The input and the output of one norm for one text.

    Attributes:
        x: the input.
        mean: mean of each token's input (not subtracted by RMSNorm).
        sigma: divisor of each token: the root of the variance plus epsilon; for RMSNorm, of the
            mean square plus epsilon.
        y: the output, including gain and bias.
    """

    x: Float[Tensor, "T D"]
    mean: Float[Tensor, " T"]
    sigma: Float[Tensor, " T"]
    y: Float[Tensor, "T D"]


@dataclass(frozen=True, eq=False)
class Trace:
    """A text's tokens with the inputs and outputs of all norms, recorded while a model read it.

    Attributes:
        logits: next-token logits at every position, for a language model.
        embedding: the sentence embedding, for an encoder.
        norms: the norms by name, in order of execution: `embedding`, `layers.3.attention`,
            `layers.3.feedforward`, `final`; layers count from 0.
    """

    logits: Float[Tensor, "T vocabulary"] | None
    embedding: Float[Tensor, " D"] | None
    norms: Mapping[str, NormRecord]


@dataclass(frozen=True, eq=False)
class PretrainedModel:
    """A published model with its tokenizer; runs texts, records norms and computes losses.

    Attributes:
        package: the package that it was loaded from.
        network: the PyTorch module.
        tokenizer: the tokenizer.
    """

    package: ModelPackage
    network: SmolLM2 | MiniLM
    tokenizer: Tokenizer

    @property
    def transformer(self) -> Transformer:
        """The model's Transformer: its blocks and norms, without embedding and output layers."""
        return self.network.transformer

    @cached_property
    def norms(self) -> Mapping[str, NormLayer]:
        """The model's norms by name, in order of execution."""
        return {place.name: place.norm for place in norm_locations(self.transformer)}

    def tokens(self, text: str) -> list[str]:
        """Split text into the model's tokens, and return each token's text.

        A character that spans several tokens appears in each of them. Tokens that the model adds
        (in MiniLM, a first and a last one) appear with their special names.

        Raises:
            TextError: as `ids`.
        """
        encoding = self._encode(text)
        return [
            text[start:end] if end > start else token
            for token, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True)
        ]

    def ids(self, text: str) -> Int[Tensor, " T"]:
        """Return the token ids of a text.

        Raises:
            TextError: the text is empty or too long, or has characters that are not text.
        """
        return torch.tensor(self._encode(text).ids, device=self._device)

    def token_texts(self, ids: Int[Tensor, " K"]) -> list[str]:
        """Return each token's text; a token that holds part of a character is returned as bytes."""
        return [token_text(self.tokenizer, number) for number in ids.tolist()]

    @torch.inference_mode()
    def run(self, ids: Int[Tensor, " T"]) -> Trace:
        """Run the model on a text, and record the inputs and outputs of its norms.

        Args:
            ids: the token ids.
        """
        transformer = self.transformer
        norms: dict[str, NormRecord] = {}
        x = self.network.embed(ids)
        if not isinstance(transformer.embedding_norm, nn.Identity):
            y = transformer.embedding_norm(x)
            norms["embedding"], x = self._record("embedding", x, y), y
        for layer, block in enumerate(transformer.blocks):
            steps = block(x)
            for part, taken in (
                ("attention", steps.attention),
                ("feedforward", steps.feed_forward),
            ):
                name = f"layers.{layer}.{part}"
                norms[name] = self._record(name, *self._norm_input_and_output(taken))
            x = steps.y
        y = transformer.final_norm(x)
        if not isinstance(transformer.final_norm, nn.Identity):
            norms["final"] = self._record("final", x, y)
        read = self.network.head(y)
        language = isinstance(self.network, SmolLM2)
        return Trace(read if language else None, None if language else read, norms)

    @torch.inference_mode()
    def loss(
        self,
        ids: Int[Tensor, " T"],
        swap: Swap | None = None,
        edit: StreamEdit | None = None,
        copies: int | None = None,
    ) -> Float[Tensor, "*K"]:
        r"""Compute the model's loss on a text, optionally with modified norms or residual stream.

        For a language model it is the mean cross-entropy of the next tokens in nats, $-\frac1{T-1}
        \sum_t \log p(x_{t+1} \mid x_1 \dots x_t)$. MiniLM does not predict tokens; its loss is the
        cosine distance $1 - \cos$ between the sentence embeddings of the changed and the unchanged
        model, which is 0 without changes.

        Args:
            ids: the token ids, two or more.
            swap: replaces every norm, or None.
            edit: changes the residual stream before every block, or None.
            copies: K, if `swap` and `edit` apply a different change to each of K copies of the
                text, `(K, T, D)`.
        """
        transformer = self.transformer if swap is None else swap_norms(self.transformer, swap)
        x = self.network.embed(ids)
        x = transformer.embedding_norm(x if copies is None else x.expand(copies, -1, -1))
        for layer, block in enumerate(subtasks(list(transformer.blocks))):
            x = block(x if edit is None else edit(layer, x)).y
        return self._loss(transformer.final_norm(x), ids)

    @torch.inference_mode()
    def losses_by_location(
        self, ids: Int[Tensor, " T"], swap: Swap, copies: int
    ) -> Float[Tensor, "places K"]:
        """Compute the loss with norms replaced at a single location, for each location.

        A location is a block with both its norms, the embedding norm, or the final norm;
        `locations` has their names. All changed models run as one batch. Up to its location, a
        changed model equals the unchanged one, so it joins the batch only there.

        Args:
            ids: the token ids, two or more.
            swap: the replacement, which evaluates its K versions side by side: inputs `(K, T, D)`.
            copies: K, the number of those versions.
        """

        def joining(name: str, own: NormLayer, x: Tensor) -> Tensor:
            return torch.cat([own(x[:-copies]), swap(name, own, x[-copies:])])

        def joined(x: Tensor) -> Tensor:
            return torch.cat([x, x[:1].expand(copies, -1, -1)])

        transformer = swap_norms(self.transformer, joining)
        x = self.network.embed(ids)[None]  # 1 + joined so far,T,D; the first is the unchanged model
        if not isinstance(transformer.embedding_norm, nn.Identity):
            x = transformer.embedding_norm(joined(x))
        for block in subtasks(list(transformer.blocks)):
            x = block(joined(x)).y
        if not isinstance(transformer.final_norm, nn.Identity):
            x = transformer.final_norm(joined(x))
        losses: Tensor = self._loss(x[1:], ids).unflatten(0, (-1, copies))
        return losses

    @property
    def locations(self) -> tuple[str, ...]:
        """The names of the locations where `losses_by_location` replaces norms."""
        return tuple(dict.fromkeys(location(name) for name in self.norms))

    @property
    def _device(self) -> torch.device:
        return next(self.network.parameters()).device

    def _encode(self, text: str) -> Encoding:
        validate_text(text)
        encoding = self.tokenizer.encode(text)
        if len(encoding.ids) > MAX_TOKENS:
            raise TextError(
                f"The text has {len(encoding.ids)} tokens; {MAX_TOKENS} are read at most. "
                "Shorten it."
            )
        return encoding

    def _norm_input_and_output(self, taken: ResidualSteps) -> tuple[Tensor, Tensor]:
        """Return the input and output of a sublayer's norm, from the sublayer's intermediates."""
        before = self.transformer.placement.before
        return (taken.x, taken.normed) if before else (taken.total, taken.y)

    def _record(self, name: str, x: Tensor, y: Tensor) -> NormRecord:
        return NormRecord(x, x.mean(-1), sigma(self.norms[name], x)[..., 0], y)

    def _loss(self, y: Float[Tensor, "*K T D"], ids: Int[Tensor, " T"]) -> Float[Tensor, "*K"]:
        if isinstance(self.network, MiniLM):
            own = self.network.head(self.transformer(self.network.embed(ids)).y)
            return 1 - self.network.head(y) @ own
        guesses = y[..., :-1, :]
        wanted = ids[1:].expand(guesses.shape[:-1])
        parts = [
            F.cross_entropy(self.network.head(rows), targets, reduction="none")
            for rows, targets in zip(
                guesses.flatten(0, -2).split(LOGIT_ROWS),
                wanted.flatten().split(LOGIT_ROWS),
                strict=True,
            )
        ]
        losses: Tensor = torch.cat(parts).unflatten(0, wanted.shape)
        return losses.mean(-1)


def sigma(norm: NormLayer, x: Float[Tensor, "*N D"]) -> Float[Tensor, "*N 1"]:
    """Return the number by which a norm divides each of its input vectors.

    Args:
        norm: LayerNorm or RMSNorm.
        x: its input.
    """
    centered = x - x.mean(-1, keepdim=True) if norm.norm.center else x
    return (centered.square().mean(-1, keepdim=True) + norm.eps).sqrt()


def location(name: str) -> str:
    """Return the location of a norm, as in `PretrainedModel.losses_by_location`, from its name.

    >>> location("layers.3.attention"), location("final")
    ('layers.3', 'final')
    """
    return name.rsplit(".", 1)[0]
