"""Norms in published models: their number, placement and type, and their cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lnviz.norms import CATALOGUE, Norm
from lnviz.topics.transformer.placements import PLACEMENTS, Placement

OPERATIONS = {"layer": 7, "rms": 4}
"""Number of additions and multiplications of a norm per value, by the norm's key.

LayerNorm adds up, subtracts the mean, squares, adds up, multiplies by 1 / sigma, by the gain, and
adds the bias; RMSNorm squares, adds up, multiplies twice. What is done once for all values of a
position, such as the root, is left out.
"""


@dataclass(frozen=True)
class NormCount:
    """The norms of a model that have the same location relative to a sublayer or block.

    Attributes:
        location: the location, in words.
        count: number of norms.
        width: number of values that share statistics.
        parameters: number of parameters of each norm.
    """

    location: str
    count: int
    width: int
    parameters: int


@dataclass(frozen=True)
class Cost:
    """One kind of cost of a forward pass over one sequence: for all norms, and for the whole model.

    Attributes:
        norms: the cost of all norms.
        total: the cost of the whole model.
    """

    norms: int
    total: int

    @property
    def share(self) -> float:
        """The norms' fraction of the model's cost, from 0 to 1."""
        return self.norms / self.total


@dataclass(frozen=True)
class ModelSize:
    """Hyperparameters of a published model; counts its parameters, FLOPs and memory traffic.

    In an encoder-decoder model, decoder blocks have a third sublayer, cross-attention; both stacks
    read sequences of the same length. No count includes biases of linear layers, dropout, position
    embeddings or the loss.

    Attributes:
        label: printed name.
        source: a citation for the values.
        placement: a key of `PLACEMENTS`.
        norm: a key of the catalogue, with a gain, and a bias if it centers.
        encoder: blocks of the encoder; 0 if there is none.
        decoder: blocks of the decoder, or of the only stack.
        width: D.
        heads: number of attention heads.
        head: number of features per head.
        key_heads: heads of keys and values.
        inner: number of hidden units of a feed-forward layer.
        gated: whether the feed-forward layer is gated.
        vocabulary: number of tokens in the vocabulary.
        tied: whether the unembedding shares the embedding's weights.
        context: length of a sequence in tokens.
        embedding_norm: whether there is a norm after the embedding.
        qk_norm: whether there are norms on queries and keys, each over all heads together.
    """

    label: str
    source: str
    placement: str
    norm: str
    encoder: int
    decoder: int
    width: int
    heads: int
    head: int
    key_heads: int
    inner: int
    gated: bool
    vocabulary: int
    tied: bool
    context: int
    embedding_norm: bool = False
    qk_norm: bool = False

    @property
    def _placement(self) -> Placement:
        return PLACEMENTS[self.placement]

    @property
    def _norm(self) -> Norm:
        return CATALOGUE[self.norm]

    @property
    def attentions(self) -> int:
        """The number of attention sublayers in the model."""
        return self.encoder + self.decoder * (2 if self.encoder else 1)

    @property
    def feed_forwards(self) -> int:
        """The number of feed-forward sublayers in the model."""
        return self.encoder + self.decoder

    @property
    def stacks(self) -> int:
        """The number of stacks of blocks: 2 with an encoder and a decoder, otherwise 1."""
        return 2 if self.encoder else 1

    def groups(self) -> tuple[NormCount, ...]:
        """Return the model's norms, grouped by location."""
        sublayers, placement = self.attentions + self.feed_forwards, self._placement
        learned = 2 if self._norm.center else 1  # gain and bias, or gain alone
        counted = [
            ("after the embedding", self.embedding_norm * self.stacks, self.width),
            ("before each sublayer", placement.before * sublayers, self.width),
            ("on queries", self.qk_norm * self.attentions, self.heads * self.head),
            ("on keys", self.qk_norm * self.attentions, self.key_heads * self.head),
            ("after each sublayer", placement.inside * sublayers, self.width),
            ("on each sum", placement.after * sublayers, self.width),
            ("after the last block", placement.final * self.stacks, self.width),
        ]
        return tuple(
            NormCount(where, count, width, learned * width)
            for where, count, width in counted
            if count
        )

    @property
    def norms(self) -> int:
        """The number of norms in the model."""
        return sum(group.count for group in self.groups())

    @property
    def norm_parameters(self) -> int:
        """The number of parameters in all norms: gains and biases."""
        return sum(group.count * group.parameters for group in self.groups())

    @property
    def matrices(self) -> int:
        r"""The number of weights in all linear layers and embeddings.

        $$\underbrace{A\,(2 D H C + 2 D K C)}_{\text{attention}}
        + \underbrace{B\, m D I}_{\text{feed-forward}} + e V D$$

        There are A attention and B feed-forward sublayers, H heads of C units, K heads of keys and
        values, and I hidden units; m is 3 if the feed-forward layer is gated and otherwise 2, and e
        is 1 if the embedding is tied and otherwise 2.
        """
        read = (1 if self.tied else 2) * self.vocabulary * self.width
        return self._mapped + read

    @property
    def parameters(self) -> int:
        """The number of weights in all linear layers, embeddings and norms."""
        return self.matrices + self.norm_parameters

    @property
    def flops(self) -> Cost:
        r"""The additions and multiplications for one sequence: of all norms, and of the model.

        $$T \Big(2 M + 4 A T H C + 2 D V + c \sum_{\text{norms}} w\Big)$$

        M is the number of weights in attention and feed-forward layers; each weight takes one
        multiplication and one addition per token. In each of the A attention layers, causal or not,
        logits and weighted averages take 4 T H C per token. A norm over w values takes c operations
        per value (`OPERATIONS`).
        """
        norms = OPERATIONS[self.norm] * self.context * self._normed
        maps = 2 * (self._mapped + self.width * self.vocabulary)
        attention = 4 * self.attentions * self.context * self.heads * self.head
        return Cost(norms, norms + self.context * (maps + attention))

    @property
    def traffic(self) -> Cost:
        r"""The number of values read and written for one sequence: by all norms, and by the model.

        Each operation reads its inputs and writes its output once. The counts are: a norm, $2Tw$
        and its parameters; a linear layer from a to b units, $T(a + b) + ab$; attention as one
        fused kernel, $T(2HC + 2KC)$; the nonlinearity, $T(I + I)$ or, if gated, $T(2I + I)$; an
        addition to the residual stream, $3TD$; the embedding, $2TD$. An implementation may fuse
        more operations: a norm fused with the addition before it reads no more than the addition.

        Source: Ivanov et al. 2021 (arXiv 2007.00072), who count operation by operation.
        """
        t, d = self.context, self.width
        queries, keys = self.heads * self.head, self.key_heads * self.head
        norms = 2 * t * self._normed + self.norm_parameters
        # Inputs and outputs of the four maps, then of attention itself.
        attention = t * (2 * (d + queries) + 2 * (d + keys) + 2 * queries + 2 * keys)
        maps = 3 if self.gated else 2
        feed_forward = t * (maps * (d + self.inner) + maps * self.inner)
        added = 3 * t * d * (self.attentions + self.feed_forwards)
        read = t * (d + self.vocabulary) + d * self.vocabulary + 2 * t * d * self.stacks
        rest = self.attentions * attention + self.feed_forwards * feed_forward + added + read
        return Cost(norms, norms + rest + self._mapped)

    @property
    def _mapped(self) -> int:
        attention = 2 * self.width * (self.heads + self.key_heads) * self.head
        feed_forward = (3 if self.gated else 2) * self.width * self.inner
        return self.attentions * attention + self.feed_forwards * feed_forward

    @property
    def _normed(self) -> int:
        """The number of values per position that all norms together normalize."""
        return sum(group.count * group.width for group in self.groups())


MODELS: Mapping[str, ModelSize] = {
    "transformer": ModelSize(
        label="Transformer (2017), base",
        source="Vaswani et al. 2017 (arXiv 1706.03762), table 3",
        placement="post",
        norm="layer",
        encoder=6,
        decoder=6,
        width=512,
        heads=8,
        head=64,
        key_heads=8,
        inner=2048,
        gated=False,
        vocabulary=37_000,
        tied=True,
        context=512,
    ),
    "bert": ModelSize(
        label="BERT base",
        source="Devlin et al. 2019 (arXiv 1810.04805), section 3",
        placement="post",
        norm="layer",
        encoder=0,
        decoder=12,
        width=768,
        heads=12,
        head=64,
        key_heads=12,
        inner=3072,
        gated=False,
        vocabulary=30_522,
        tied=True,
        context=512,
        embedding_norm=True,
    ),
    "gpt-2": ModelSize(
        label="GPT-2, smallest",
        source="Radford et al. 2019, section 2.3 and table 2",
        placement="pre",
        norm="layer",
        encoder=0,
        decoder=12,
        width=768,
        heads=12,
        head=64,
        key_heads=12,
        inner=3072,
        gated=False,
        vocabulary=50_257,
        tied=True,
        context=1024,
    ),
    "gpt-3": ModelSize(
        label="GPT-3, 175B",
        source="Brown et al. 2020 (arXiv 2005.14165), table 2.1",
        placement="pre",
        norm="layer",
        encoder=0,
        decoder=96,
        width=12_288,
        heads=96,
        head=128,
        key_heads=96,
        inner=49_152,
        gated=False,
        vocabulary=50_257,
        tied=True,
        context=2048,
    ),
    "t5": ModelSize(
        label="T5 base",
        source="Raffel et al. 2020 (arXiv 1910.10683), sections 2.1 and 3.1",
        placement="pre",
        norm="rms",
        encoder=12,
        decoder=12,
        width=768,
        heads=12,
        head=64,
        key_heads=12,
        inner=3072,
        gated=False,
        vocabulary=32_128,
        tied=True,
        context=512,
    ),
    "llama": ModelSize(
        label="LLaMA 7B",
        source="Touvron et al. 2023 (arXiv 2302.13971), section 2.2 and table 2",
        placement="pre",
        norm="rms",
        encoder=0,
        decoder=32,
        width=4096,
        heads=32,
        head=128,
        key_heads=32,
        inner=11_008,
        gated=True,
        vocabulary=32_000,
        tied=False,
        context=2048,
    ),
    "gemma-2": ModelSize(
        label="Gemma 2, 9B",
        source="Gemma Team 2024 (arXiv 2408.00118), tables 1 and 2",
        placement="sandwich",
        norm="rms",
        encoder=0,
        decoder=42,
        width=3584,
        heads=16,
        head=256,
        key_heads=8,
        inner=14_336,
        gated=True,
        vocabulary=256_128,
        tied=True,
        context=8192,
    ),
    "olmo-2": ModelSize(
        label="OLMo 2, 7B",
        source="OLMo et al. 2025 (arXiv 2501.00656), section 2",
        placement="olmo2",
        norm="rms",
        encoder=0,
        decoder=32,
        width=4096,
        heads=32,
        head=128,
        key_heads=32,
        inner=11_008,
        gated=True,
        vocabulary=100_352,
        tied=False,
        context=4096,
        qk_norm=True,
    ),
}
"""The models by key, in chronological order.

BERT's pre-training head, which has one more norm, is left out. Gemma 2 attends to 4096 tokens in
every other block; counted is full attention in all. Its gains are 1 + w.
"""
