"""A published model: from a text to everything that goes into its norms and comes out of them."""

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
from lnviz.pretrained.packages import Package
from lnviz.pretrained.smollm2 import SmolLM2
from lnviz.pretrained.swapping import Swap, places, swapped
from lnviz.pretrained.texts import TextError, check
from lnviz.pretrained.tokens import word
from lnviz.progress import subtasks
from lnviz.topics.transformer import NormLayer, ResidualSteps, Transformer

if TYPE_CHECKING:  # only those who have installed a model have it
    from tokenizers import Encoding, Tokenizer

MOST = 512
"""The most tokens that a text may have; MiniLM knows no more places."""
ROWS = 256
"""Tokens whose scores of the whole vocabulary are in memory at once."""

Edit = Callable[[int, Tensor], Tensor]
"""Changes the residual stream in front of a block, given the block, from 0, and the stream."""


@dataclass(frozen=True, eq=False)
class NormRecord:
    """What a norm did to a text.

    Attributes:
        x: what went in.
        mean: the mean of each token's x; RMSNorm does not subtract it.
        sigma: what each token's x was divided by: the root of the variance, or of the mean square
            where the norm does not center, plus epsilon.
        y: what came out, gain and bias included.
    """

    x: Float[Tensor, "T D"]
    mean: Float[Tensor, " T"]
    sigma: Float[Tensor, " T"]
    y: Float[Tensor, "T D"]


@dataclass(frozen=True, eq=False)
class Trace:
    """A text on its way through a model.

    Attributes:
        logits: the score of every token of the vocabulary for the next place, where the model is a
            language model.
        embedding: the vector of the sentence, where it is an encoder.
        norms: the norms by name, in the order in which the text meets them: `embedding`,
            `layers.3.attention`, `layers.3.feedforward`, `final`; layers count from 0.
    """

    logits: Float[Tensor, "T vocabulary"] | None
    embedding: Float[Tensor, " D"] | None
    norms: Mapping[str, NormRecord]


@dataclass(frozen=True, eq=False)
class Model:
    """A published model.

    Attributes:
        package: where it comes from.
        network: its weights.
        tokenizer: cuts texts.
    """

    package: Package
    network: SmolLM2 | MiniLM
    tokenizer: Tokenizer

    @property
    def transformer(self) -> Transformer:
        """The blocks and norms of the model."""
        return self.network.transformer

    @cached_property
    def norms(self) -> Mapping[str, NormLayer]:
        """The norms of the model by name, in the order in which a text meets them."""
        return {place.name: place.norm for place in places(self.transformer)}

    def tokens(self, text: str) -> list[str]:
        """Return the pieces that a text is cut into, each as it stands in the text.

        A letter that takes several tokens stands at each of them. What the model adds of its own
        (MiniLM: a first and a last token) has its name.

        Raises:
            TextError: as `ids`.
        """
        encoding = self._encoded(text)
        return [
            text[start:end] if end > start else token
            for token, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True)
        ]

    def ids(self, text: str) -> Int[Tensor, " T"]:
        """Return a text as numbers of tokens.

        Raises:
            TextError: the text is empty, too long, or has characters that are no text.
        """
        return torch.tensor(self._encoded(text).ids, device=self._device)

    def words(self, ids: Int[Tensor, " K"]) -> list[str]:
        """Return each token as text, by itself; of a part of a letter, its bytes."""
        return [word(self.tokenizer, number) for number in ids.tolist()]

    @torch.inference_mode()
    def run(self, ids: Int[Tensor, " T"]) -> Trace:
        """Send a text through the model.

        Args:
            ids: the numbers of its tokens.
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
                norms[name] = self._record(name, *self._around(taken))
            x = steps.y
        y = transformer.final_norm(x)
        if not isinstance(transformer.final_norm, nn.Identity):
            norms["final"] = self._record("final", x, y)
        read = self.network.read(y)
        language = isinstance(self.network, SmolLM2)
        return Trace(read if language else None, None if language else read, norms)

    @torch.inference_mode()
    def loss(
        self,
        ids: Int[Tensor, " T"],
        norm: Swap | None = None,
        edit: Edit | None = None,
        versions: int | None = None,
    ) -> Float[Tensor, "*K"]:
        r"""Return how badly the model reads a text.

        A language model's is the mean cross-entropy of each next token, in nats:
        $-\frac1{T-1} \sum_t \log p(x_{t+1} \mid x_1 \dots x_t)$. MiniLM guesses no tokens; its is
        the distance $1 - \cos$ between the sentence's vector and the one that the unchanged model
        gives: 0 where nothing is changed.

        Args:
            ids: the numbers of its tokens, two or more.
            norm: what stands in for every norm, if something does.
            edit: what is done to the residual stream in front of every block.
            versions: K, where these make something else of each of K copies of the text, which go
                through the model side by side, `(K, T, D)`.
        """
        transformer = self.transformer if norm is None else swapped(self.transformer, norm)
        x = self.network.embed(ids)
        x = transformer.embedding_norm(x if versions is None else x.expand(versions, -1, -1))
        for layer, block in enumerate(subtasks(list(transformer.blocks))):
            x = block(x if edit is None else edit(layer, x)).y
        return self._loss(transformer.final_norm(x), ids)

    @torch.inference_mode()
    def losses(
        self, ids: Int[Tensor, " T"], norm: Swap, versions: int
    ) -> Float[Tensor, "places K"]:
        """Return the loss with norms replaced in one place only, for every place.

        A place is a block, with both its norms, or the embedding's norm before them or the final
        one behind: `places` names them. All go through the model side by side; up to its place
        each is the unchanged model, so it joins the others there.

        Args:
            ids: the numbers of the tokens, two or more.
            norm: what stands in, of `(K, T, D)`.
            versions: K, how many there are of it.
        """

        def joining(name: str, own: NormLayer, x: Tensor) -> Tensor:
            return torch.cat([own(x[:-versions]), norm(name, own, x[-versions:])])

        def joined(x: Tensor) -> Tensor:
            return torch.cat([x, x[:1].expand(versions, -1, -1)])

        transformer = swapped(self.transformer, joining)
        x = self.network.embed(ids)[None]  # 1 + joined so far,T,D; the first is the unchanged model
        if not isinstance(transformer.embedding_norm, nn.Identity):
            x = transformer.embedding_norm(joined(x))
        for block in subtasks(list(transformer.blocks)):
            x = block(joined(x)).y
        if not isinstance(transformer.final_norm, nn.Identity):
            x = transformer.final_norm(joined(x))
        losses: Tensor = self._loss(x[1:], ids).unflatten(0, (-1, versions))
        return losses

    @property
    def places(self) -> tuple[str, ...]:
        """Names of what `losses` changes."""
        return tuple(dict.fromkeys(place(name) for name in self.norms))

    @property
    def _device(self) -> torch.device:
        return next(self.network.parameters()).device

    def _encoded(self, text: str) -> Encoding:
        check(text)
        encoding = self.tokenizer.encode(text)
        if len(encoding.ids) > MOST:
            raise TextError(
                f"The text has {len(encoding.ids)} tokens; {MOST} are read at most. Shorten it."
            )
        return encoding

    def _around(self, taken: ResidualSteps) -> tuple[Tensor, Tensor]:
        """What goes into a sublayer's norm and comes out of it."""
        before = self.transformer.placement.before
        return (taken.x, taken.normed) if before else (taken.total, taken.y)

    def _record(self, name: str, x: Tensor, y: Tensor) -> NormRecord:
        return NormRecord(x, x.mean(-1), sigma(self.norms[name], x)[..., 0], y)

    def _loss(self, y: Float[Tensor, "*K T D"], ids: Int[Tensor, " T"]) -> Float[Tensor, "*K"]:
        if isinstance(self.network, MiniLM):
            own = self.network.read(self.transformer(self.network.embed(ids)).y)
            return 1 - self.network.read(y) @ own
        guesses = y[..., :-1, :]
        wanted = ids[1:].expand(guesses.shape[:-1])
        parts = [
            F.cross_entropy(self.network.read(rows), targets, reduction="none")
            for rows, targets in zip(
                guesses.flatten(0, -2).split(ROWS), wanted.flatten().split(ROWS), strict=True
            )
        ]
        losses: Tensor = torch.cat(parts).unflatten(0, wanted.shape)
        return losses.mean(-1)


def sigma(norm: NormLayer, x: Float[Tensor, "*N D"]) -> Float[Tensor, "*N 1"]:
    """Return what a norm divides by.

    Args:
        norm: LayerNorm or RMSNorm.
        x: what goes in.
    """
    centered = x - x.mean(-1, keepdim=True) if norm.norm.center else x
    return (centered.square().mean(-1, keepdim=True) + norm.eps).sqrt()


def place(name: str) -> str:
    """Return the place of a norm, as `Model.losses` has them.

    >>> place("layers.3.attention"), place("final")
    ('layers.3', 'final')
    """
    return name.rsplit(".", 1)[0]
