r"""Gradients and activations of untrained Transformers, by depth and placement of the norms.

The networks are those of Xiong et al. 2020 (arXiv 2002.04745, section 3.3), and two that resemble
the networks in use today. Seeds are a dimension of every tensor; the only loop is over the layers.

The first l blocks of a network, with an unembedding after them, are a network of depth l. So one
pass through the deepest network serves all depths, unless the placement has constants that depend
on the depth. All placements have the same weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.func import functional_call, vmap

from lnviz.device import device
from lnviz.norms import CATALOGUE, NONE
from lnviz.progress import subtasks
from lnviz.seeding import isolated_rng
from lnviz.topics.transformer.block import (
    AttentionSteps,
    FeedForwardSteps,
    Transformer,
    TransformerBlock,
    TransformerSteps,
)
from lnviz.topics.transformer.initialization import initialize
from lnviz.topics.transformer.placements import PLACEMENTS, PRE, Placement
from lnviz.topics.transformer.setups import SETUPS, InitializationExperiment, Inputs, inputs

MATRICES = {
    "query": "attention.sublayer.query.weight",
    "key": "attention.sublayer.key.weight",
    "value": "attention.sublayer.value.weight",
    "out": "attention.sublayer.out.weight",
    "first": "feed_forward.sublayer.first.weight",
    "second": "feed_forward.sublayer.second.weight",
}
"""The matrices of a block by their names there."""

PLACES = (
    "in",
    "to attention",
    "into attention",
    "attention adds",
    "first sum",
    "between",
    "to feed-forward",
    "into feed-forward",
    "feed-forward adds",
    "second sum",
    "out",
)
"""Tensors on the way through a block, as `Road` has them.

What goes *to* a sublayer is the copy of the stream that leaves it for the side, before a norm
there; what goes *into* the sublayer is behind that norm.
"""

Stacked = dict[str, Tensor]  # by name, each with the seeds as leading dimension


@dataclass(frozen=True, eq=False)
class Gradients:
    """Frobenius norms of gradients, by layer or by the network's depth, and by seed.

    Attributes:
        layers: the depth of each network, or the index of each block of one network.
        values: the gradient norms, by layer and seed.
    """

    layers: tuple[int, ...]
    values: Float[Tensor, "L S"]

    @property
    def mean(self) -> Float[Tensor, " L"]:
        """The gradient norms averaged over the seeds."""
        return self.values.mean(-1)

    @property
    def low(self) -> Float[Tensor, " L"]:
        """The smallest gradient norm over the seeds."""
        return self.values.amin(-1)

    @property
    def high(self) -> Float[Tensor, " L"]:
        """The largest gradient norm over the seeds."""
        return self.values.amax(-1)

    @property
    def slope(self) -> float:
        """The slope of a straight line fitted to log(mean gradient norm) against log(layers)."""
        if len(self.layers) < 2:
            raise ValueError(f"A line needs 2 depths or more, got {self.layers}.")
        x = torch.tensor(self.layers, dtype=torch.float64).log()
        y = self.mean.double().cpu().log()
        x, y = x - x.mean(), y - y.mean()
        return float((x * y).sum() / x.square().sum())


@dataclass(frozen=True, eq=False)
class Sizes:
    r"""Mean squares ($\lVert x \rVert^2 / D$) of the residual stream and of the sublayers' outputs.

    Attributes:
        stream: mean square of the residual stream, before the first block and after each block.
        total: mean square of the sum in each block's feed-forward layer, before any norm on it.
        attention: mean square of attention's contribution in each block.
        feed_forward: mean square of the feed-forward layer's contribution in each block.
    """

    stream: Float[Tensor, "points S"]
    total: Float[Tensor, "L S"]
    attention: Float[Tensor, "L S"]
    feed_forward: Float[Tensor, "L S"]


@dataclass(frozen=True, eq=False)
class Road:
    """RMS of activations and norms of gradients at each of the points `PLACES` in every block.

    Attributes:
        size: RMS over positions and features.
        gradient: Frobenius norm of the loss's derivative with respect to this tensor.
    """

    size: Float[Tensor, "L places S"]
    gradient: Float[Tensor, "L places S"]


def last_layer(
    placements: Sequence[str], depths: Sequence[int], experiment: InitializationExperiment
) -> dict[str, Gradients]:
    r"""Compute the gradient of the last block's second feed-forward matrix, by network depth.

    $$\left\lVert \frac{\partial \mathcal{L}}{\partial W^{2,L}} \right\rVert_F$$

    For each seed, networks of all depths have the same first blocks, inputs, targets and
    unembedding.

    Args:
        placements: keys of `PLACEMENTS`.
        depths: L, each 1 or more.
        experiment: the settings of the networks.

    Returns:
        By placement, the Frobenius norms for each depth and seed.

    Raises:
        ValueError: a placement is unknown, there is no depth, or too much memory is needed.

    Source: Xiong et al. 2020 (arXiv 2002.04745), theorem 1 and figure 3c.

    >>> from lnviz.topics.transformer.setups import InitializationExperiment
    >>> gradients = last_layer(["post", "pre"], [2, 4, 8, 16], InitializationExperiment(width=32))
    >>> round(gradients["post"].slope, 1), round(gradients["pre"].slope, 1)
    (0.0, -0.5)
    """
    depths = tuple(depths)
    weights, given = _weights_and_inputs(placements, depths, experiment)

    def of(key: str) -> Tensor:
        placement = PLACEMENTS[key]
        passes = [(depth,) for depth in depths] if placement.knows_depth else [depths]
        return torch.cat(
            [_last_layer(placement, part, experiment, weights, given) for part in passes]
        )

    return {key: Gradients(depths, of(key)) for key in subtasks(tuple(placements))}


def _last_layer(
    placement: Placement,
    depths: tuple[int, ...],
    experiment: InitializationExperiment,
    weights: Stacked,
    given: Inputs,
) -> Float[Tensor, "depths S"]:
    model, parameters = _network(placement, max(depths), experiment, weights)
    wanted = [parameters[f"blocks.{depth - 1}.{MATRICES['second']}"] for depth in depths]
    for matrix in wanted:
        matrix.requires_grad_()

    def outputs(own: Stacked, x: Tensor) -> tuple[Tensor, ...]:
        steps: TransformerSteps = functional_call(model, own, (x,))
        return tuple(model.final_norm(steps.blocks[depth - 1].y) for depth in depths)

    # The path from a loss to its matrix is short: what lies before the last block is not retraced.
    gradients = [
        torch.autograd.grad(given.loss(y).sum(), matrix, retain_graph=True)[0]
        for y, matrix in zip(vmap(outputs)(parameters, given.x), wanted, strict=True)
    ]
    return torch.stack([frobenius(gradient) for gradient in gradients])


def by_layer(
    placements: Sequence[str],
    layers: int,
    experiment: InitializationExperiment,
    *,
    matrix: str = "second",
) -> dict[str, Gradients]:
    """Compute the gradients of one weight matrix in every block of a network.

    Args:
        placements: keys of `PLACEMENTS`.
        layers: L, the depth of the network.
        experiment: the settings of the networks.
        matrix: a key of `MATRICES`.

    Returns:
        By placement, the Frobenius norms for each block, counted from 1, and seed.

    Raises:
        ValueError: a name is unknown, there are no layers, or too much memory is needed.

    Source: Xiong et al. 2020 (arXiv 2002.04745), figure 3a and 3b.

    >>> by_layer(["pre"], 6, InitializationExperiment(width=8))["pre"].values.shape
    torch.Size([6, 8])
    """
    if matrix not in MATRICES:
        raise ValueError(f"A block's matrix is one of {', '.join(MATRICES)}; got {matrix!r}.")
    weights, given = _weights_and_inputs(placements, (layers,), experiment)
    blocks = tuple(range(1, layers + 1))

    def of(key: str) -> Tensor:
        model, parameters = _network(PLACEMENTS[key], layers, experiment, weights)
        wanted = [parameters[f"blocks.{block - 1}.{MATRICES[matrix]}"] for block in blocks]
        for each in wanted:
            each.requires_grad_()

        def output(own: Stacked, x: Tensor) -> Tensor:
            steps: TransformerSteps = functional_call(model, own, (x,))
            return steps.y

        y = vmap(output)(parameters, given.x)
        gradients = torch.autograd.grad(given.loss(y).sum(), wanted)
        return torch.stack([frobenius(gradient) for gradient in gradients])

    return {key: Gradients(blocks, of(key)) for key in subtasks(tuple(placements))}


def sizes(
    placements: Sequence[str], layers: int, experiment: InitializationExperiment
) -> dict[str, Sizes]:
    r"""Compute mean squares of the residual stream after each block and of the sublayers' outputs.

    In expectation and for the theory setup, Pre-LN's stream lies within `pre_ln_bounds`, and the
    second sum of each Post-LN block is 3/2.

    Args:
        placements: keys of `PLACEMENTS`.
        layers: L, the depth of the network.
        experiment: the settings of the networks.

    Returns:
        By placement, mean squares for each block and seed.

    Raises:
        ValueError: a placement is unknown, there are no layers, or too much memory is needed.

    Source: Xiong et al. 2020 (arXiv 2002.04745), lemma 2.

    >>> sizes(["post"], 6, InitializationExperiment(width=8))["post"].stream.shape
    torch.Size([7, 8])
    """
    weights, given = _weights_and_inputs(placements, (layers,), experiment)

    def of(key: str) -> Sizes:
        model, parameters = _network(PLACEMENTS[key], layers, experiment, weights)

        def squares(own: Stacked, x: Tensor) -> tuple[Tensor, ...]:
            steps: TransformerSteps = functional_call(model, own, (x,))
            blocks = steps.blocks
            return tuple(
                torch.stack([each.square().mean() for each in named])
                for named in (
                    [steps.x, *(block.y for block in blocks)],
                    [block.feed_forward.total for block in blocks],
                    [block.attention.branch for block in blocks],
                    [block.feed_forward.branch for block in blocks],
                )
            )

        with torch.no_grad():
            return Sizes(*(part.mT for part in vmap(squares)(parameters, given.x)))

    return {key: of(key) for key in subtasks(tuple(placements))}


def roads(
    placements: Sequence[str], layers: int, experiment: InitializationExperiment
) -> dict[str, Road]:
    r"""Compute RMS and gradient norm of activations along the residual stream and in its branches.

    $$\sqrt{\operatorname{mean} x^2} \quad\text{and}\quad
    \left\lVert \frac{\partial \mathcal{L}}{\partial x} \right\rVert_F$$

    Args:
        placements: keys of `PLACEMENTS`.
        layers: L, the depth of the network.
        experiment: the settings of the networks.

    Returns:
        By placement, both values for each block, each of the points `PLACES`, and each seed.

    Raises:
        ValueError: a placement is unknown, there are no layers, or too much memory is needed.

    >>> roads(["pre"], 6, InitializationExperiment(width=8))["pre"].gradient.shape
    torch.Size([6, 11, 8])
    """
    weights, given = _weights_and_inputs(placements, (layers,), experiment)

    def of(key: str) -> Road:
        model, parameters = _network(PLACEMENTS[key], layers, experiment, weights)
        way = list(
            _run_blocks(model, parameters, model.embedding_norm(given.x.clone().requires_grad_()))
        )
        loss = given.loss(model.final_norm(way[-1]))
        gradients = torch.autograd.grad(loss.sum(), way)
        size, gradient = (
            torch.stack([each.flatten(1).norm(dim=1) for each in tensors]).unflatten(
                0, (layers, len(PLACES))
            )
            for tensors in (way, gradients)
        )
        return Road(size.detach() / math.sqrt(given.x[0].numel()), gradient)

    return {key: of(key) for key in subtasks(tuple(placements))}


def _run_blocks(model: Transformer, parameters: Stacked, stream: Tensor) -> Iterator[Tensor]:
    """Run all blocks for all seeds at once, and yield the tensor at each of the points `PLACES`.

    The loop is explicit, since gradients of tensors inside `vmap` are not available outside it.
    """
    for number, each in enumerate(model.blocks):
        block = cast(TransformerBlock, each)
        yield stream
        for name, part in (("attention", block.attention), ("feed_forward", block.feed_forward)):
            begins = f"blocks.{number}.{name}.sublayer."
            own = {n.removeprefix(begins): w for n, w in parameters.items() if n.startswith(begins)}

            def sublayer(own: Stacked, x: Tensor, of: nn.Module = part.sublayer) -> Tensor:
                steps: AttentionSteps | FeedForwardSteps = functional_call(of, own, (x,))
                return steps.y

            taken = stream.clone()
            normed = part.damping * part.before(taken)
            branch = part.inside(vmap(sublayer)(own, normed))
            total = part.alpha * stream + branch
            stream = part.after(total)
            yield from (taken, normed, branch, total, stream)


def pre_ln_bounds(layers: int) -> Float[Tensor, "2 points"]:
    r"""Return bounds of the expected mean square of Pre-LN's residual stream, as in `Sizes.stream`.

    $$1 + \frac l2 \le \frac1D \mathbb{E} \lVert x_l \rVert^2 \le 1 + \frac{3l}2, \quad
    l = 0 \dots L$$

    A feed-forward layer adds 1/2. Attention adds 0 if the values that it averages cancel, and 1 if
    they are all equal.

    Args:
        layers: L.

    Source: Xiong et al. 2020 (arXiv 2002.04745), lemma 2, for the theory setup.

    >>> pre_ln_bounds(2)
    tensor([[1.0000, 1.5000, 2.0000],
            [1.0000, 2.5000, 4.0000]])
    """
    blocks = torch.arange(layers + 1)
    return torch.stack([1 + blocks / 2, 1 + 3 * blocks / 2])


def frobenius(gradient: Float[Tensor, "S out inputs"]) -> Float[Tensor, " S"]:
    """Return the Frobenius norm of each seed's gradient matrix."""
    return gradient.flatten(1).square().sum(1).sqrt()


def _weights_and_inputs(
    placements: Sequence[str], depths: tuple[int, ...], experiment: InitializationExperiment
) -> tuple[Stacked, Inputs]:
    """Check an experiment's arguments; return the deepest network's weights, and the inputs."""
    unknown = [key for key in placements if key not in PLACEMENTS]
    if unknown or not placements:
        raise ValueError(
            f"A placement is one of {', '.join(PLACEMENTS)}; got {', '.join(unknown) or 'none'}."
        )
    if not depths or min(depths) < 1:
        raise ValueError(f"A Transformer needs 1 layer or more, got {list(depths)}.")
    deepest = max(depths)
    experiment.check_memory(deepest)
    return _weights(experiment, deepest), inputs(experiment)


def _weights(experiment: InitializationExperiment, layers: int) -> Stacked:
    # One model drawn again for each seed: building one takes as long as going through it.
    with torch.device("meta"):
        model = Transformer(experiment.shape(layers), PRE, NONE)
    model.to_empty(device="cpu")
    drawn = []
    with isolated_rng():
        for seed in experiment.seeds:
            torch.manual_seed(seed)
            initialize(model, SETUPS[experiment.setup].initialization)
            drawn.append({name: value.detach().clone() for name, value in model.named_parameters()})
    return {name: torch.stack([each[name] for each in drawn]).to(device()) for name in drawn[0]}


def _network(
    placement: Placement, layers: int, experiment: InitializationExperiment, weights: Stacked
) -> tuple[Transformer, Stacked]:
    """Create a Transformer with the given placement and depth, and a deeper one's parameters."""
    with torch.device("meta"):
        model = Transformer(experiment.shape(layers), placement, CATALOGUE[experiment.norm])
    names = [name for name, _ in model.named_parameters()]
    beta = placement.beta(layers)
    scaled = tuple(MATRICES[name] for name in ("value", "out", "first", "second"))
    return model, {name: (beta if name.endswith(scaled) else 1.0) * weights[name] for name in names}
