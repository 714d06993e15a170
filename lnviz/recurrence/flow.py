"""How a state and its gradient fare over many steps of one recurrent matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor
from torch.func import jacrev, vjp, vmap

from lnviz.norms import BATCH, LAYER, RMS, normalize

NORMS = {norm.key: norm for norm in (LAYER, RMS, BATCH)}

NONLINEARITIES: dict[str, Callable[[Tensor], Tensor]] = {
    "identity": lambda a: a,
    "tanh": torch.tanh,
    "relu": torch.relu,
}

Values = Float[Tensor, " F"]


@dataclass(frozen=True)
class Network:
    """A plain recurrent network before training.

    Args:
        size: D, units of the state.
        steps: T, how many steps it takes.
        cases: N, how many sequences go through it, each from a state of its own.
        nonlinearity: `"identity"`, `"tanh"` or `"relu"`.
        inputs: root mean square of what the input adds at each step; 0 is no input.
        separate: whether a norm stands on the state's part and another on the input's, as in
            recurrent BatchNorm; False puts one on their sum, as in equation 4.
        identity: whether the recurrent matrix is the identity; False draws it at random.
        seed: draws matrix, first states, inputs and the gradient at the end.

    Raises:
        ValueError: a number is too small, or the nonlinearity unknown.
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
    """Magnitudes along a sequence, first step to last, for every factor.

    Attributes:
        state: root mean square of the state after 0, 1, ..., T steps.
        gradient: length of the gradient with respect to the state after 0, 1, ..., T steps, divided
            by its length at step T, where it enters.
        singular: singular values, largest first, of the Jacobian of one step, for the steps asked
            for; with BatchNorm of the first case's state by its own previous one.
    """

    state: Float[Tensor, "F steps"]
    gradient: Float[Tensor, "F steps"]
    singular: Float[Tensor, "F at D"]


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a network's seed draws.

    Attributes:
        weight: a Gaussian matrix, divided by its spectral radius; or the identity.
        first: the first states, each of root mean square 1.
        added: what the input adds at each step.
        last: the gradient that enters at the last step.
    """

    weight: Float[Tensor, "D D"]
    first: Float[Tensor, "N D"]
    added: Float[Tensor, "T N D"]
    last: Float[Tensor, "N D"]


def draw(network: Network, device: torch.device) -> Drawn:
    """Return what the network's seed draws, as float32.

    >>> weight = draw(Network(size=8), torch.device("cpu")).weight.double()
    >>> round(torch.linalg.eigvals(weight).abs().max().item(), 5)
    1.0
    """
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
    return Drawn(*(part.float().to(device) for part in drawn))


def flow(
    norm: str,
    factors: Values,
    network: Network,
    *,
    gain: Values | float = 1.0,
    at: Sequence[int] = (),
) -> Flow:
    r"""Follow a state forth through T steps and a gradient back, for every factor at once.

    $$a^t = \rho W h^{t-1} + v^t, \quad
    h^t = f\left[\gamma \frac{a^t - \mu^t}{\sigma^t}\right], \quad
    \frac{\partial L}{\partial h^{t-1}} = \left(\frac{\partial h^t}{\partial h^{t-1}}\right)^\top
    \frac{\partial L}{\partial h^t}$$

    W is a Gaussian matrix of spectral radius 1, so that the factor $\rho$ is the spectral radius of
    the recurrent weights. States are computed in float32, where they can overflow and vanish; a
    magnitude is infinite or not a number from there on, or 0. A gradient is brought to length 1
    after each step and its length kept beside it, so that only the result leaves float32's range.

    The loss L is linear in the last state: its gradient there is drawn at random.

    Args:
        norm: `"none"`, `"layer"`, `"rms"` or `"batch"`; BatchNorm takes the statistics of each step
            over the cases.
        factors: spectral radii $\rho$.
        network: sizes, nonlinearity, input and seed.
        gain: $\gamma$; a tensor has one for each factor.
        at: steps, from 1 to T, at which to take singular values of the Jacobian.

    Returns:
        Magnitudes at T + 1 states, and singular values at the steps asked for.

    Raises:
        ValueError: the norm is unknown, or a step is out of range.

    Source: equation 4 of Ba, Kiros and Hinton 2016, with bias 0; for BatchNorm and separate norms,
        Cooijmans et al. 2016 (arXiv 1603.09025).

    >>> network = Network(size=8, steps=20, nonlinearity="identity")
    >>> flow("layer", torch.tensor([0.5, 2.0]), network).state[:, -1]
    tensor([1.0000, 1.0000])
    """
    if norm not in ("none", *NORMS):
        raise ValueError(f"A norm is one of none, {', '.join(NORMS)}; got {norm!r}.")
    outside = [t for t in at if not 1 <= t <= network.steps]
    if outside:
        raise ValueError(
            f"This network takes steps 1 to {network.steps}, got step {outside[0]}. "
            f"Leave it out, or give the network more steps."
        )
    drawn = draw(network, factors.device)
    step = partial(
        _step,
        norm=norm,
        separate=network.separate,
        weight=drawn.weight,
        nonlinearity=NONLINEARITIES[network.nonlinearity],
    )
    factor = factors.float()[:, None, None]  # F,1,1
    gains = torch.as_tensor(gain, dtype=torch.float32, device=factors.device)
    gains = gains.reshape(-1, 1, 1)  # F,1,1 or 1,1,1

    states = [drawn.first.expand(len(factors), -1, -1)]  # F,N,D
    for added in drawn.added:
        states.append(step(states[-1], added=added, factor=factor, gain=gains))
    gradient = drawn.last.expand_as(states[0])
    lengths = [_magnitude(gradient)]
    for t in reversed(range(network.steps)):
        back = vjp(partial(step, added=drawn.added[t], factor=factor, gain=gains), states[t])[1]
        # Back at length 1 for the next step: tiny numbers are slow, and lose their digits.
        length = torch.where(lengths[-1] > 0, lengths[-1], 1)
        gradient = back(gradient / length[:, None, None].float())[0]
        lengths.append(_magnitude(gradient))
    grown = torch.stack(lengths[1:], 1).cumprod(1).flip(1)  # F,T

    # Only BatchNorm looks at other cases.
    seen = network.cases if norm == "batch" else 1
    singular = [
        torch.linalg.svdvals(
            _jacobians(step, states[t - 1][:, :seen], drawn.added[t - 1, :seen], factor, gains)
        )
        for t in at
    ]
    return Flow(
        torch.stack([_magnitude(h) for h in states], 1).float(),
        torch.cat([grown, torch.ones_like(grown[:, :1])], 1).float(),
        torch.stack(singular, 1) if singular else factor.new_empty(len(factors), 0, network.size),
    )


def _step(
    h: Float[Tensor, "*F N D"],
    *,
    added: Float[Tensor, "N D"],
    factor: Float[Tensor, "*#F 1 1"],
    gain: Float[Tensor, "*#F 1 1"],
    norm: str,
    separate: bool,
    weight: Float[Tensor, "D D"],
    nonlinearity: Callable[[Tensor], Tensor],
) -> Float[Tensor, "*F N D"]:
    def normed(a: Tensor) -> Tensor:
        if norm == "none":
            return a
        return gain * normalize(a, NORMS[norm].over("ND"), center=NORMS[norm].center).y

    kept = factor * (h @ weight.T)  # F,N,D
    return nonlinearity(normed(kept) + normed(added) if separate else normed(kept + added))


def _jacobians(
    step: Callable[..., Tensor],
    h: Float[Tensor, "F N D"],
    added: Float[Tensor, "N D"],
    factor: Float[Tensor, "F 1 1"],
    gain: Float[Tensor, "#F 1 1"],
) -> Float[Tensor, "F D D"]:
    """Derivative of the first case's next state by its own state, the other cases held."""

    def own(first: Tensor, others: Tensor, factor: Tensor, gain: Tensor) -> Tensor:
        joined = torch.cat([first[None], others])  # N,D
        return step(joined, added=added, factor=factor, gain=gain)[0]

    jacobian: Tensor = vmap(jacrev(own))(h[:, 0], h[:, 1:], factor, gain.expand_as(factor))
    return jacobian


def _magnitude(h: Float[Tensor, "F N D"]) -> Float[Tensor, " F"]:
    # In float64, so that squares overflow no earlier than the values.
    return h.double().square().mean((-2, -1)).sqrt()
