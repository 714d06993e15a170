"""RMS of the state and length of its gradient in an untrained recurrent network, at every step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import BATCH, LAYER, NONE, RMS, Norm
from lnviz.progress import report_progress, subtasks

EPS = 1e-5
NORMS = {norm.key: norm for norm in (NONE, LAYER, RMS, BATCH)}


@dataclass(frozen=True)
class Nonlinearity:
    """A nonlinearity of a recurrent network, with its derivative.

    Attributes:
        f: applies the function in place.
        back: multiplies a gradient by the derivative, given the function's values.
    """

    f: Callable[[Tensor], Tensor]
    back: Callable[[Tensor, Tensor], Tensor]


NONLINEARITIES = {
    "identity": Nonlinearity(lambda a: a, lambda gradient, _: gradient),
    "tanh": Nonlinearity(
        torch.tanh_, lambda gradient, h: torch.addcmul(gradient, gradient * h, h, value=-1)
    ),
    "relu": Nonlinearity(torch.relu_, lambda gradient, h: gradient * (h > 0)),
}

# Numbers of states that are kept at once, 52 MB, and as many of what is standardized: factors are
# taken in parts of that size, since the way back needs every step of the way forth.
KEPT = 13_000_000

# Lengths below it count as 0, by which nothing is divided.
LEAST = torch.finfo(torch.float32).tiny

Values = Float[Tensor, " F"]


@dataclass(frozen=True)
class UntrainedNetwork:
    """Settings of an untrained recurrent network: size, steps, nonlinearity, inputs and seed.

    Args:
        size: D, number of units of the state.
        steps: T, number of steps.
        cases: N, number of sequences, each with its own initial state.
        nonlinearity: `"identity"`, `"tanh"` or `"relu"`.
        inputs: RMS of the input's contribution at each step; 0 for no input.
        separate: whether the projections of state and input have separate norms, as in recurrent
            BatchNorm; False normalizes their sum, as in equation 4.
        identity: whether the recurrent matrix is the identity; False draws it at random.
        seed: seed of the matrix, the initial states, the inputs and the final gradient.

    Raises:
        ValueError: a number is too small, or the nonlinearity is unknown.
    """

    size: int = 32
    steps: int = 500
    cases: int = 4
    nonlinearity: str = "tanh"
    inputs: float = 0.0
    separate: bool = False
    identity: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, least in (
            ("size", self.size, 2),
            ("steps", self.steps, 1),
            ("cases", self.cases, 2),
            ("inputs", self.inputs, 0),
        ):
            if value < least:
                raise ValueError(f"{name} must be {least} or more, got {value}.")
        if self.nonlinearity not in NONLINEARITIES:
            raise ValueError(
                f"A nonlinearity is one of {', '.join(NONLINEARITIES)}; got {self.nonlinearity!r}."
            )


@dataclass(frozen=True, eq=False)
class Flow:
    """RMS of the state and length of the gradient at every step, for each scale of the weights.

    Attributes:
        state: RMS of the state after 0, 1, ..., T steps.
        gradient: Euclidean norm of the gradient with respect to the state after 0, 1, ..., T steps,
            divided by its norm at step T, where the loss is.
        singular: singular values, in descending order, of the Jacobian of one step, for each
            requested step. With BatchNorm, it is the Jacobian of the first example's state with
            respect to its own previous state. Values below rounding error are 0.
    """

    state: Float[Tensor, "F steps"]
    gradient: Float[Tensor, "F steps"]
    singular: Float[Tensor, "F at D"]


@dataclass(frozen=True, eq=False)
class DrawnTensors:
    """The random weights, initial states, inputs and final gradient of an untrained network.

    Attributes:
        weight: a Gaussian matrix, divided by its spectral radius; or the identity.
        first: the initial states, each with RMS 1.
        added: the input's contribution at each step.
        last: the gradient with respect to the last state.
    """

    weight: Float[Tensor, "D D"]
    first: Float[Tensor, "N D"]
    added: Float[Tensor, "T N D"]
    last: Float[Tensor, "N D"]


def draw(network: UntrainedNetwork, device: torch.device) -> DrawnTensors:
    """Draw a network's random weights, initial states, inputs and final gradient, as float32."""
    generator = torch.Generator().manual_seed(network.seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    weight = normal(network.size, network.size)
    if network.identity:
        weight = torch.eye(network.size, dtype=torch.float64)
    first = normal(network.cases, network.size)
    drawn = (
        weight / torch.linalg.eigvals(weight).abs().max(),
        first / first.square().mean(-1, keepdim=True).sqrt(),
        normal(network.steps, network.cases, network.size) * network.inputs,
        normal(network.cases, network.size),
    )
    return DrawnTensors(*(part.float().to(device) for part in drawn))


def flow(
    norm: str,
    factors: Values,
    network: UntrainedNetwork,
    *,
    gain: Values | float = 1.0,
    input_scale: Values | float = 1.0,
    at: Sequence[int] = (),
) -> Flow:
    r"""Propagate states forward and gradients backward, for all scales of the recurrent weights.

    $$a^t = \rho W h^{t-1} + s v^t, \quad
    h^t = f\left[\gamma \frac{a^t - \mu^t}{\sigma^t}\right], \quad
    \frac{\partial L}{\partial h^{t-1}} = \left(\frac{\partial h^t}{\partial h^{t-1}}\right)^\top
    \frac{\partial L}{\partial h^t}$$

    W is a Gaussian matrix of spectral radius 1, so that the factor $\rho$ is the spectral radius of
    the recurrent weights. States are computed in float32, where they can overflow or vanish; from
    then on, their RMS is infinite, NaN or 0. A gradient is rescaled to length 1 after each step,
    and its length is stored separately, so that only the result can leave float32's range.

    The loss L is linear in the last state, with a random gradient.

    Args:
        norm: `"none"`, `"layer"`, `"rms"` or `"batch"`; BatchNorm normalizes each step over the
            examples.
        factors: spectral radii $\rho$.
        network: sizes, nonlinearity, input and seed.
        gain: $\gamma$; a tensor has one for each factor.
        input_scale: s, the factor of the input at each step; a tensor has one for each factor.
        at: steps, from 1 to T, at which to compute the Jacobian's singular values.

    Returns:
        RMS and gradient length of T + 1 states, and singular values at the requested steps.

    Raises:
        ValueError: the norm is unknown, or a step is out of range.

    Source: equation 4 of Ba, Kiros and Hinton 2016, with bias 0; for BatchNorm and separate norms,
        Cooijmans et al. 2016 (arXiv 1603.09025).

    >>> network = UntrainedNetwork(size=8, steps=20, nonlinearity="identity")
    >>> flow("layer", torch.tensor([0.5, 2.0]), network).state[:, -1]
    tensor([1.0000, 1.0000])
    """
    outside = [t for t in at if not 1 <= t <= network.steps]
    if outside:
        raise ValueError(
            f"This network takes steps 1 to {network.steps}, got step {outside[0]}. "
            f"Leave it out, or give the network more steps."
        )
    parts = [
        part.flow(at) for part in subtasks(_recurrences(norm, factors, network, gain, input_scale))
    ]
    return Flow(*(torch.cat([getattr(part, f.name) for part in parts]) for f in fields(Flow)))


def states(
    norm: str,
    factors: Values,
    network: UntrainedNetwork,
    *,
    gain: Values | float = 1.0,
    input_scale: Values | float = 1.0,
) -> Float[Tensor, "T F N D"]:
    """Propagate states forward as `flow` does, and return the state after each step.

    Args:
        norm: As in `flow`.
        factors: As in `flow`.
        network: As in `flow`.
        gain: As in `flow`.
        input_scale: As in `flow`.

    Raises:
        ValueError: The norm is unknown.

    >>> states("layer", torch.ones(2), UntrainedNetwork(size=8, steps=5)).shape
    torch.Size([5, 2, 4, 8])
    """
    return torch.cat(
        [part.states() for part in _recurrences(norm, factors, network, gain, input_scale)], 1
    )


def _recurrences(
    norm: str,
    factors: Values,
    network: UntrainedNetwork,
    gain: Values | float,
    input_scale: Values | float,
) -> tuple[_Recurrence, ...]:
    """Split the scale factors into chunks whose states fit in memory; return a network for each."""
    if norm not in NORMS:
        raise ValueError(f"A norm is one of {', '.join(NORMS)}; got {norm!r}.")
    drawn = draw(network, factors.device)
    at_once = max(1, KEPT // (network.steps * drawn.first.numel()))
    swept = (
        torch.as_tensor(values, dtype=torch.float32, device=factors.device)
        .expand_as(factors)[:, None, None]
        .split(at_once)
        for values in (factors, gain, input_scale)
    )
    return tuple(
        _Recurrence(NORMS[norm], network, drawn, *part) for part in zip(*swept, strict=True)
    )


@dataclass(frozen=True, eq=False)
class _Step:
    """Values of one forward time step that the backward pass needs.

    Attributes:
        state: the state after the step.
        x_hat: the normalized pre-activations.
        scale: gain divided by sigma.
    """

    state: Float[Tensor, "F N D"]
    x_hat: Float[Tensor, "F N D"]
    scale: Float[Tensor, "F #N #D"]


@dataclass(frozen=True, eq=False)
class _Recurrence:
    """An untrained network with one norm, run for several weight scales, gains and input scales."""

    norm: Norm
    network: UntrainedNetwork
    drawn: DrawnTensors
    factor: Float[Tensor, "F 1 1"]
    gain: Float[Tensor, "F 1 1"]
    input_scale: Float[Tensor, "F 1 1"]

    @property
    def _first(self) -> Float[Tensor, "F N D"]:
        return self.drawn.first.expand(len(self.factor), -1, -1)

    def states(self) -> Float[Tensor, "T F N D"]:
        return torch.stack([step.state for step in self._forward(self._first)])

    def flow(self, at: Sequence[int]) -> Flow:
        first = self._first  # F,N,D
        steps = list(self._forward(first))
        state = first.new_empty(len(steps) + 1, len(first), dtype=torch.float64)
        for t, h in enumerate((first, *(step.state for step in steps))):
            state[t] = _magnitude(h)
        gradient = torch.ones_like(state)
        for t, length in zip(reversed(range(len(steps))), self._backward(steps), strict=True):
            gradient[t] = gradient[t + 1] * length
        singular = first.new_empty(len(first), len(at), first.shape[-1])
        for row, t in enumerate(at):
            singular[:, row] = _singular(self._jacobian(steps[t - 1]))
        return Flow(state.T.float(), gradient.T.float(), singular)

    def _forward(self, h: Float[Tensor, "F N D"]) -> Iterator[_Step]:
        # In place: holes that short-lived tensors leave between those kept would double the memory.
        for t, drawn in enumerate(self.drawn.added):
            report_progress(t / (2 * self.network.steps))
            added = drawn * self.input_scale  # F,N,D
            a = h @ self.drawn.weight.T  # F,N,D
            if self.network.separate:
                x_hat, rstd = self._standardize(a.mul_(self.factor))
                summed = (x_hat + self._standardize(added)[0]).mul_(self.gain)
            else:
                x_hat, rstd = self._standardize(torch.addcmul(added, a, self.factor, out=a))
                summed = x_hat * self.gain
            h = self._nonlinearity.f(summed)
            yield _Step(h, x_hat, self.gain * rstd)

    def _backward(self, steps: Sequence[_Step]) -> Iterator[Float[Tensor, " F"]]:
        """Yield the factor by which each step changes the gradient's length, last step first."""
        gradient = self.drawn.last.expand_as(steps[-1].state)
        length = torch.linalg.vector_norm(gradient, dim=(-2, -1), keepdim=True)
        for t, step in enumerate(reversed(steps), len(steps)):
            report_progress(t / (2 * len(steps)))
            # To length 1 before each step: tiny numbers are slow, and lose their digits.
            unit = self.factor / length.clamp(min=LEAST)
            change = self._through_norm(self._nonlinearity.back(gradient, step.state), step.x_hat)
            gradient = (change * (unit * step.scale)) @ self.drawn.weight
            length = torch.linalg.vector_norm(gradient, dim=(-2, -1), keepdim=True)
            yield length.flatten()

    def _jacobian(self, step: _Step) -> Float[Tensor, "F D D"]:
        """Return the transposed Jacobian of the first example's state w.r.t. its previous state."""
        first = (step.state[:, :1], step.x_hat[:, :1], step.scale[:, :1])  # F,1,D
        state, x_hat, scale = (part[:, None] for part in first)  # F,1,1,D
        each = self.drawn.weight.T[:, None]  # D,1,D: a change of each unit of the previous state
        change = self._through_norm(each, x_hat) * scale * self.factor[:, None]  # F,D,1,D
        return self._nonlinearity.back(change, state).squeeze(2)

    def _standardize(self, a: Float[Tensor, "*F N D"]) -> tuple[Tensor, Tensor | float]:
        """Normalize pre-activations in place; return them and 1 / sigma."""
        if not self._over:
            return a, 1.0
        if self.norm.center:
            a -= a.mean(self._over, keepdim=True)
        rstd = (a.square().mean(self._over, keepdim=True) + EPS).rsqrt()
        return a.mul_(rstd), rstd

    def _through_norm(
        self, change: Float[Tensor, "*#F #N D"], x_hat: Float[Tensor, "*#F #N D"]
    ) -> Float[Tensor, "... D"]:
        r"""Multiply a vector by the Jacobian of the norm, without its factor 1 / sigma.

        $$\delta - \overline{\delta} - \hat x \, \overline{\delta \hat x}$$

        A gradient is propagated back by the same product, since the Jacobian is symmetric. Examples
        that are not passed count as constant: they add nothing to a mean over the examples.
        """
        if not self._over:
            return change
        along = (change * x_hat).sum(self._over, keepdim=True)
        if self.norm.center:
            change = change.sub(change.sum(self._over, keepdim=True), alpha=self._mean_weight)
        return torch.addcmul(change, x_hat, along, value=-self._mean_weight)

    @cached_property
    def _over(self) -> tuple[int, ...]:
        return self.norm.over("ND")

    @cached_property
    def _mean_weight(self) -> float:
        """1 / n, where n is the number of values over which the norm averages."""
        return 1 / math.prod(self.drawn.first.shape[d] for d in self._over)

    @property
    def _nonlinearity(self) -> Nonlinearity:
        return NONLINEARITIES[self.network.nonlinearity]


def _singular(matrices: Float[Tensor, "... D D"]) -> Float[Tensor, "... D"]:
    """Return the singular values of matrices; those below float32's rounding error become 0.

    They are the square roots of the eigenvalues of the matrix times its transpose, which takes a
    third less time than a decomposition; in float64 the product keeps float32's precision.
    """
    wide = matrices.double()
    values = torch.linalg.eigvalsh(wide @ wide.mT).clamp(min=0).sqrt().flip(-1)
    rounding = values.shape[-1] * torch.finfo(torch.float32).eps
    return torch.where(values > rounding * values[..., :1], values, 0).float()


def _magnitude(h: Float[Tensor, "F N D"]) -> Float[Tensor, " F"]:
    """Return the RMS over examples and units, in float64 so that squares do not overflow."""
    length: Tensor = torch.linalg.vector_norm(h, dim=(-2, -1), dtype=torch.float64)
    return length / math.sqrt(h.shape[-2:].numel())
