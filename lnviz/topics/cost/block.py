"""The norms' fraction of the time and operations of a Transformer block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from lnviz.seeding import isolated_rng
from lnviz.topics.cost.clock import Times, quartile_tuples, time_interleaved
from lnviz.topics.cost.kernels import PASSES, Curve
from lnviz.topics.cost.machine import Machine, machine
from lnviz.topics.cost.ways import kernel, parameters
from lnviz.topics.transformer.counts import OPERATIONS

HEAD = 64  # units of one head of attention, as in GPT-2; narrower blocks have one head
INNER = 4  # hidden units of the feed-forward layer for each unit of the stream
NORMS = 2  # of a block
NONE = "none"
WIDTHS = (64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)
KINDS = ("layer written", "layer function", "rms written", "rms function")
"""The norms of a block and their implementations: `"norm way"` as in `lnviz.topics.cost.ways`."""


@dataclass(frozen=True)
class BlockSpecification:
    """Settings for timing Transformer blocks with different norms.

    Args:
        tokens: length of the sequence.
        widths: D, multiples of 32.
        rounds: number of rounds; each round times every block once.
        block: approximate duration of one timing, in seconds.
        threads: number of PyTorch threads on a CPU.

    Raises:
        ValueError: a number is too small, or the widths are not in ascending order.
    """

    tokens: int = 128
    widths: tuple[int, ...] = WIDTHS
    rounds: int = 7
    block: float = 0.004
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("tokens", "rounds", "threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)}.")
        if not self.widths or list(self.widths) != sorted(set(self.widths)):
            raise ValueError(f"widths rise, got {self.widths}.")
        odd = [width for width in self.widths if width < 1 or width % heads(width)]
        if odd:
            raise ValueError(
                f"Heads of {HEAD} units share the width evenly, got width {odd[0]}. Use a multiple "
                f"of {HEAD}, or fewer than {2 * HEAD}."
            )


@dataclass(frozen=True)
class BlockTimes:
    """Measured times of Transformer blocks, by pass and width, as quartiles over the rounds.

    Attributes:
        specification: the measurement.
        machine: the machine.
        whole: seconds per block, by the kind of its norms, one of `KINDS` or "none".
        alone: seconds for the block's two norms run separately, by kind.
        shares: `alone` divided by `whole` in the same round, by kind.
        differences: the extra time over a block without norms in the same round, as a fraction of
            the block's time, by kind.
        own: as in `clock.Times`.
    """

    specification: BlockSpecification
    machine: Machine
    whole: Mapping[str, tuple[Curve, Curve]]
    alone: Mapping[str, tuple[Curve, Curve]]
    shares: Mapping[str, tuple[Curve, Curve]]
    differences: Mapping[str, tuple[Curve, Curve]]
    own: float


def heads(width: int) -> int:
    """Return the number of attention heads of a Transformer block of the given width."""
    return max(1, width // HEAD)


class NormSublayer(nn.Module):
    """A norm in one of the implementations listed in `KINDS`, or the identity."""

    def __init__(self, kind: str, width: int, on: torch.device) -> None:
        super().__init__()
        norm, _, way = kind.partition(" ")
        learned = () if kind == NONE else parameters(norm, width, on)
        self.learned = nn.ParameterList(learned)
        self.run = None if kind == NONE else kernel(norm, way)

    def forward(self, x: Float[Tensor, "*N D"]) -> Float[Tensor, "*N D"]:
        """Return the normalized rows, or the rows unchanged without a norm."""
        return x if self.run is None else self.run(x, *self.learned)


class TimedBlock(nn.Module):
    r"""A Pre-LN Transformer block for timing; its input is a single sequence.

    $$h = x + W_O\,\mathrm{attention}(W_{QKV}\,\mathrm{norm}(x)), \quad
    y = h + W_2\,\mathrm{GELU}(W_1\,\mathrm{norm}(h))$$

    Causal attention with heads of 64 units, 4 D hidden units, biases everywhere.

    Args:
        width: D.
        kind: the kind of the norms, one of `KINDS` or "none".
        on: the device.

    >>> TimedBlock(64, "layer function", torch.device("cpu"))(torch.ones(3, 64)).shape
    torch.Size([3, 64])
    """

    def __init__(self, width: int, kind: str, on: torch.device) -> None:
        super().__init__()
        linear = partial(nn.Linear, device=on)
        self.heads = heads(width)
        self.norms = nn.ModuleList(NormSublayer(kind, width, on) for _ in range(NORMS))
        self.qkv, self.out = linear(width, 3 * width), linear(width, width)
        self.first, self.second = linear(width, INNER * width), linear(INNER * width, width)

    def forward(self, x: Float[Tensor, "T D"]) -> Float[Tensor, "T D"]:
        """Return the block's output: attention and the feed-forward layer added to the input."""
        split = self.qkv(self.norms[0](x)).unflatten(-1, (3, self.heads, -1))  # T,3,H,C
        q, k, v = split.permute(1, 2, 0, 3)  # H,T,C each
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)  # H,T,C
        h = x + self.out(mixed.transpose(0, 1).flatten(1))
        y: Tensor = h + self.second(F.gelu(self.first(self.norms[1](h))))
        return y


def measure(specification: BlockSpecification, on: torch.device) -> BlockTimes:
    """Time blocks with each kind of norm and without norms, and time the norms separately.

    Raises:
        Cancelled: The computation was cancelled.
    """
    s = specification
    runs: list[Callable[[], object]] = []
    with isolated_rng():
        torch.manual_seed(0)
        for width in s.widths:
            x = torch.randn(s.tokens, width).to(on).requires_grad_()
            arriving = torch.randn(s.tokens, width).to(on)
            for kind in (NONE, *KINDS):
                block = TimedBlock(width, kind, on)
                parts = (block,) if kind == NONE else (block, *block.norms)
                for part in parts:
                    learned = (x, *part.parameters())
                    runs.append(partial(_forward, part, x))
                    runs.append(partial(_both, part, x, learned, arriving))
    return _blocks(s, machine(on, s.threads), time_interleaved(runs, s.rounds, s.block, s.threads))


def _forward(part: nn.Module, x: Tensor) -> None:
    with torch.no_grad():
        part(x)


def _both(part: nn.Module, x: Tensor, learned: tuple[Tensor, ...], arriving: Tensor) -> None:
    torch.autograd.grad(part(x), learned, arriving)


def _blocks(s: BlockSpecification, where: Machine, times: Times) -> BlockTimes:
    seconds = times.seconds.unflatten(1, (len(s.widths), -1, len(PASSES)))  # rounds,W,parts,P
    seconds = seconds.permute(2, 0, 3, 1)  # parts,rounds,P,W
    bare, kinds = seconds[0], seconds[1:].unflatten(0, (len(KINDS), 1 + NORMS))
    whole = {kind: kinds[at, 0] for at, kind in enumerate(KINDS)}  # rounds,P,W
    alone = {kind: kinds[at, 1:].sum(0) for at, kind in enumerate(KINDS)}
    return BlockTimes(
        s,
        where,
        {kind: quartile_tuples(each) for kind, each in ({NONE: bare} | whole).items()},
        {kind: quartile_tuples(each) for kind, each in alone.items()},
        {kind: quartile_tuples(alone[kind] / whole[kind]) for kind in KINDS},
        {kind: quartile_tuples(1 - bare / whole[kind]) for kind in KINDS},
        round(times.own, 3),
    )


@dataclass(frozen=True, eq=False)
class Operations:
    """Numbers of additions and multiplications in a block's forward pass, by width.

    Attributes:
        maps: the operations of the linear layers and of attention.
        norms: the operations of the two norms, by norm.
    """

    maps: Float[Tensor, " widths"]
    norms: Mapping[str, Float[Tensor, " widths"]]

    def share(self, norm: str) -> Float[Tensor, " widths"]:
        """Return the norms' fraction of the operations; ignores softmax, GELU and residual sums."""
        return self.norms[norm] / (self.maps + self.norms[norm])


def operations(tokens: int, widths: tuple[int, ...]) -> Operations:
    r"""Count the operations in a Transformer block's forward pass, for several widths.

    $$\underbrace{24\, T D^2}_{\text{linear layers}} + \underbrace{4\, T^2 D}_{\text{attention}},
    \quad 2 c\, T D$$

    Each of the $12 D^2$ weights takes two operations per token. Each pair of tokens, masked or not,
    takes four per unit. Each of the two norms takes c per value
    (`lnviz.topics.transformer.counts.OPERATIONS`).

    >>> operations(128, (64,)).share("layer").float()
    tensor([0.0068])
    """
    d = torch.tensor(widths, dtype=torch.float64)
    maps = 24 * tokens * d.square() + 4 * tokens**2 * d
    norms = {norm: NORMS * each * tokens * d for norm, each in OPERATIONS.items()}
    return Operations(maps, norms)
