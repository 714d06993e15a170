"""A readable Transformer with any norm and placement; it returns every intermediate value."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from lnviz.norms import CATALOGUE, LAYER, NONE, WEIGHT, Norm
from lnviz.topics.transformer.placements import PRE, Placement

EPS = 1e-5
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}


@dataclass(frozen=True)
class Shape:
    """Hyperparameters of a Transformer, except for the placement and type of its norms.

    Args:
        width: D, number of features per position.
        layers: L, number of blocks.
        heads: number of attention heads, which split the width among them.
        inner: number of hidden units of the feed-forward layer.
        activation: the activation of the feed-forward layer, a key of `ACTIVATIONS`.
        causal: whether a position attends only to itself and earlier ones.
        bias: whether linear layers have biases.
        affine: whether norms have a gain, and a bias if they center.
        qk_norm: whether queries and keys are normalized per head (Henry et al. 2020, arXiv
            2010.04245, who do not center them and divide by the Euclidean norm).
        eps: added to the variance by every norm.

    Raises:
        ValueError: a size is below 1, the heads do not divide the width, or the activation is
            unknown.
    """

    width: int
    layers: int
    heads: int
    inner: int
    activation: str = "relu"
    causal: bool = False
    bias: bool = True
    affine: bool = True
    qk_norm: bool = False
    eps: float = EPS

    def __post_init__(self) -> None:
        for name in ("width", "layers", "heads", "inner"):
            if getattr(self, name) < 1:
                raise ValueError(
                    f"A Transformer needs {name} 1 or more, got {getattr(self, name)}."
                )
        if self.width % self.heads:
            allowed = [str(h) for h in range(1, self.width + 1) if self.width % h == 0]
            raise ValueError(
                f"Heads share the width evenly, got {self.heads} heads for width {self.width}. "
                f"Use {', '.join(allowed)} heads."
            )
        if self.activation not in ACTIVATIONS:
            raise ValueError(
                f"An activation is one of {', '.join(ACTIVATIONS)}; got {self.activation!r}."
            )


@dataclass(frozen=True, eq=False)
class AttentionSteps:
    """Intermediate values of self-attention with H heads of C = D / H features.

    Attributes:
        q: queries, normalized if `Shape.qk_norm` is set.
        k: keys, normalized if `Shape.qk_norm` is set.
        v: values.
        weights: attention weights from each position (T) to each position (S); they sum to 1 over
            S.
        mixed: weighted averages of the values, with the heads concatenated.
        y: the output.
    """

    q: Float[Tensor, "*N H T C"]
    k: Float[Tensor, "*N H S C"]
    v: Float[Tensor, "*N H S C"]
    weights: Float[Tensor, "*N H T S"]
    mixed: Float[Tensor, "*N T D"]
    y: Float[Tensor, "*N T D"]


@dataclass(frozen=True, eq=False)
class FeedForwardSteps:
    """Intermediate values of a feed-forward layer.

    Attributes:
        a: pre-activations of the hidden units.
        h: activations of the hidden units.
        y: the output.
    """

    a: Float[Tensor, "*N T inner"]
    h: Float[Tensor, "*N T inner"]
    y: Float[Tensor, "*N T D"]


@dataclass(frozen=True, eq=False)
class ResidualSteps:
    """Intermediate values of a sublayer, its residual connection and its norms (if any).

    Attributes:
        x: the residual stream before the sublayer.
        normed: the input of the sublayer.
        sublayer: the intermediates of the sublayer.
        branch: the vector that is added to the stream.
        total: the sum, with the stream multiplied by the placement's alpha.
        y: the residual stream after the sublayer.
    """

    x: Float[Tensor, "*N T D"]
    normed: Float[Tensor, "*N T D"]
    sublayer: AttentionSteps | FeedForwardSteps
    branch: Float[Tensor, "*N T D"]
    total: Float[Tensor, "*N T D"]
    y: Float[Tensor, "*N T D"]


@dataclass(frozen=True, eq=False)
class BlockSteps:
    """Intermediate values of one Transformer block: attention, then the feed-forward layer."""

    attention: ResidualSteps
    feed_forward: ResidualSteps

    @property
    def y(self) -> Float[Tensor, "*N T D"]:
        """The residual stream after the block."""
        return self.feed_forward.y


@dataclass(frozen=True, eq=False)
class TransformerSteps:
    """Intermediate values of a Transformer: its input, every block, and its output.

    Attributes:
        x: the residual stream before the first block, after the embedding norm if there is one.
        blocks: the blocks, in order.
        y: the output, after the final norm if there is one.
    """

    x: Float[Tensor, "*N T D"]
    blocks: tuple[BlockSteps, ...]
    y: Float[Tensor, "*N T D"]


class NormLayer(nn.Module):
    """A norm of any kind as a module: trainable gain, and a bias if it subtracts the mean."""

    def __init__(self, norm: Norm, width: int, affine: bool, eps: float = EPS) -> None:
        super().__init__()
        if norm.key == WEIGHT.key:
            raise ValueError(
                f"{norm.label} normalizes weights, not what goes through a block. Use one of "
                f"{', '.join(key for key in CATALOGUE if key != WEIGHT.key)}."
            )
        self.norm, self.eps = norm, eps
        learns = affine and norm.key != NONE.key and norm.self_gate is None
        gains = torch.ones(1 if norm.one_gain else width)
        self.weight = nn.Parameter(gains) if learns else None
        self.bias = nn.Parameter(torch.zeros(width)) if learns and norm.center else None

    def forward(self, x: Float[Tensor, "*N T D"]) -> Float[Tensor, "*N T D"]:
        """Return the normalized input, with gain and bias applied."""
        if self.norm is LAYER:
            # The catalogue's is written out where gradients are taken; this is one kernel then too.
            return F.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.eps)
        layout = "NTD"[-x.dim() :]
        return self.norm.apply(x, layout, gain=self.weight, bias=self.bias, eps=self.eps).y


class Attention(nn.Module):
    r"""Self-attention with H heads.

    $$q = W_Q x, \quad k = W_K x, \quad v = W_V x, \quad
    y = W_O\, \mathrm{softmax}(q k^\top / \sqrt{C})\, v$$

    Source: Vaswani et al. 2017 (arXiv 1706.03762), section 3.2.
    """

    def __init__(self, shape: Shape, norm: Norm) -> None:
        super().__init__()
        self.shape = shape
        self.query = nn.Linear(shape.width, shape.width, shape.bias)
        self.key = nn.Linear(shape.width, shape.width, shape.bias)
        self.value = nn.Linear(shape.width, shape.width, shape.bias)
        self.out = nn.Linear(shape.width, shape.width, shape.bias)
        units = shape.width // shape.heads
        self.query_norm, self.key_norm = (
            NormLayer(norm, units, shape.affine, shape.eps) if shape.qk_norm else None
            for _ in range(2)
        )

    def forward(self, x: Float[Tensor, "*N T D"]) -> AttentionSteps:
        """Apply self-attention, and return its intermediate values."""
        q, k, v = (
            linear(x).unflatten(-1, (self.shape.heads, -1)).transpose(-2, -3)  # *N,H,T,C
            for linear in (self.query, self.key, self.value)
        )
        q = q if self.query_norm is None else self.query_norm(q)
        k = k if self.key_norm is None else self.key_norm(k)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # *N,H,T,S
        if self.shape.causal:
            later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
            scores = scores.masked_fill(later, -math.inf)
        weights = scores.softmax(-1)
        mixed = (weights @ v).transpose(-2, -3).flatten(-2)  # *N,T,D
        return AttentionSteps(q, k, v, weights, mixed, self.out(mixed))


class FeedForward(nn.Module):
    r"""A feed-forward layer: two linear layers with a nonlinearity between them.

    $$y = W_2 f(W_1 x + b_1) + b_2$$
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.first = nn.Linear(shape.width, shape.inner, shape.bias)
        self.second = nn.Linear(shape.inner, shape.width, shape.bias)
        self.activation = ACTIVATIONS[shape.activation]

    def forward(self, x: Float[Tensor, "*N T D"]) -> FeedForwardSteps:
        """Apply the feed-forward layer, and return its intermediate values."""
        a = self.first(x)  # *N,T,inner
        h = self.activation(a)
        return FeedForwardSteps(a, h, self.second(h))


MakesAttention = Callable[[Shape, Norm], nn.Module]
MakesFeedForward = Callable[[Shape], nn.Module]


class Residual(nn.Module):
    """A sublayer with a residual connection, and the norms that a placement puts around it."""

    def __init__(
        self, sublayer: nn.Module, shape: Shape, placement: Placement, norm: Norm, layer: int
    ) -> None:
        super().__init__()
        self.sublayer = sublayer
        self.before, self.inside, self.after = (
            NormLayer(norm, shape.width, shape.affine, shape.eps) if stands else nn.Identity()
            for stands in (placement.before, placement.inside, placement.after)
        )
        self.alpha = placement.alpha(shape.layers)
        self.damping = placement.damping(layer)

    def forward(self, x: Float[Tensor, "*N T D"]) -> ResidualSteps:
        """Add the sublayer's output to the residual stream, and return the intermediate values."""
        normed = self.damping * self.before(x)
        sublayer = self.sublayer(normed)
        branch = self.inside(sublayer.y)
        total = self.alpha * x + branch
        return ResidualSteps(x, normed, sublayer, branch, total, self.after(total))


class TransformerBlock(nn.Module):
    """A Transformer block: attention and a feed-forward layer, each with a residual connection.

    Args:
        shape: the hyperparameters.
        placement: the placement of the norms.
        norm: the norm.
        layer: l, index of the block, counted from 1.
        attention: constructor of the first sublayer.
        feed_forward: constructor of the second sublayer.
    """

    def __init__(
        self,
        shape: Shape,
        placement: Placement,
        norm: Norm,
        layer: int,
        attention: MakesAttention,
        feed_forward: MakesFeedForward,
    ) -> None:
        super().__init__()
        around = (shape, placement, norm, layer)
        self.attention = Residual(attention(shape, norm), *around)
        self.feed_forward = Residual(feed_forward(shape), *around)

    def forward(self, x: Float[Tensor, "*N T D"]) -> BlockSteps:
        """Apply attention and feed-forward layer, and return their intermediate values."""
        attention = self.attention(x)
        return BlockSteps(attention, self.feed_forward(attention.y))


class Transformer(nn.Module):
    """A stack of Transformer blocks whose norms have a given placement.

    Weights have PyTorch's default initialization; `transformer.initialization` has others.

    Args:
        shape: the hyperparameters.
        placement: the placement of the norms.
        norm: any norm of the catalogue except WeightNorm.
        attention: constructor of the first sublayer of a block, which mixes positions.
        feed_forward: constructor of the second sublayer, which acts on each position separately.

    Raises:
        ValueError: the norm is WeightNorm.

    >>> from lnviz.topics.transformer import POST
    >>> steps = Transformer(Shape(8, layers=3, heads=2, inner=32), POST)(torch.ones(5, 4, 8))
    >>> steps.y.shape, steps.blocks[0].attention.sublayer.weights.shape
    (torch.Size([5, 4, 8]), torch.Size([5, 2, 4, 4]))
    """

    def __init__(
        self,
        shape: Shape,
        placement: Placement = PRE,
        norm: Norm = LAYER,
        attention: MakesAttention = Attention,
        feed_forward: MakesFeedForward = FeedForward,
    ) -> None:
        super().__init__()
        self.shape, self.placement, self.norm = shape, placement, norm
        self.embedding_norm, self.final_norm = (
            NormLayer(norm, shape.width, shape.affine, shape.eps) if stands else nn.Identity()
            for stands in (placement.embedding, placement.final)
        )
        self.blocks = nn.ModuleList(
            TransformerBlock(shape, placement, norm, layer, attention, feed_forward)
            for layer in range(1, shape.layers + 1)
        )

    def forward(self, x: Float[Tensor, "*N T D"]) -> TransformerSteps:
        """Apply all blocks, and return their intermediate values."""
        stream = start = self.embedding_norm(x)
        blocks: list[BlockSteps] = []
        for block in self.blocks:
            blocks.append(block(stream))
            stream = blocks[-1].y
        return TransformerSteps(start, tuple(blocks), self.final_norm(stream))
