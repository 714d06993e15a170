"""Memory traffic of a norm, counted per PyTorch operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from lnviz.topics.cost.ways import kernel, parameters

ROWS, WIDTH = 3, 5  # sizes by which a dimension is known again; any two that differ would do
LETTERS = {ROWS: "N", WIDTH: "D"}
META = torch.device("meta")  # shapes without values


@dataclass(frozen=True)
class Operation:
    """A PyTorch operation with the shapes of its tensors: "ND", "N", "D", or "" for a scalar.

    Attributes:
        name: PyTorch's name of the operation.
        reads: shape of each input tensor.
        writes: shape of each output tensor.
    """

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]

    @property
    def passes(self) -> tuple[int, int]:
        """The number of N x D tensors that the operation reads, and the number that it writes."""
        return self.reads.count("ND"), self.writes.count("ND")

    def numbers(
        self, rows: Float[Tensor, "*#sizes"], width: Float[Tensor, "*#sizes"]
    ) -> Float[Tensor, "*sizes"]:
        """Return the number of values that the operation reads and writes in total."""
        sizes = {"ND": rows * width, "N": rows + 0 * width, "D": width + 0 * rows}
        one = torch.ones_like(sizes["ND"])
        every = [sizes.get(shape, one) for shape in (*self.reads, *self.writes)]
        return torch.stack(every).sum(0)


class _Trace(TorchDispatchMode):
    """Dispatch mode that records the operations that PyTorch runs below autograd."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.operations: list[Operation] = []

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        if not func.is_view:  # a view moves no values
            name = str(func.overloadpacket).removeprefix("aten.")
            reads = tuple(_shapes((args, kwargs)))
            self.operations.append(Operation(name, reads, tuple(_shapes(out))))
        return out


def _shapes(values: Any) -> Iterator[str]:
    for value in tree_leaves(values):
        if isinstance(value, Tensor):
            # A dimension of stride 0 repeats the same number.
            real = [
                n for n, step in zip(value.shape, value.stride(), strict=True) if n > 1 and step
            ]
            yield "".join(LETTERS[n] for n in real)


def trace(run: Callable[[], object]) -> tuple[Operation, ...]:
    """Return the PyTorch operations that a function runs, in order."""
    recorder = _Trace()
    with recorder:
        run()
    return tuple(recorder.operations)


@dataclass(frozen=True)
class Traffic:
    """The PyTorch operations of a norm's forward and backward pass.

    Attributes:
        forward: the forward operations, in order.
        backward: the backward operations, in order.
    """

    forward: tuple[Operation, ...]
    backward: tuple[Operation, ...]

    def of(self, both: bool) -> tuple[Operation, ...]:
        """Return the operations of the forward pass, or of both passes."""
        return self.forward + self.backward if both else self.forward


def unfused_traffic(norm: str) -> Traffic:
    """Return the operations of a norm written step by step in PyTorch, forward and backward.

    Nothing is computed: the tensors are on the meta device.

    Args:
        norm: a key of `lnviz.topics.cost.ways.WRITTEN`.

    >>> [operation.name for operation in unfused_traffic("rms").forward]
    ['pow', 'mean', 'add', 'sqrt', 'div', 'mul']
    """
    return _traced(norm, "written")


def builtin_traffic(norm: str) -> Traffic:
    """Return the operations of PyTorch's built-in norm on a CPU; LayerNorm has one per pass."""
    return _traced(norm, "function")


def _traced(norm: str, way: str) -> Traffic:
    run = kernel(norm, way)
    if run is None:
        raise ValueError(f"PyTorch has no function for {norm!r}. Trace what is written out.")
    x = torch.empty(ROWS, WIDTH, device=META, requires_grad=True)
    arriving = torch.empty(ROWS, WIDTH, device=META)
    learned = parameters(norm, WIDTH, META)
    out: list[Tensor] = []
    forward = trace(lambda: out.append(run(x, *learned)))
    backward = trace(lambda: torch.autograd.grad(out[0], (x, *learned), arriving))
    return Traffic(forward, backward)


def minimal_traffic(norm: str) -> Traffic:
    """Return the operations of a perfectly fused norm: one operation per pass.

    Forward, it reads x and the parameters, and writes the output. Backward, it reads x, the
    gradient and the parameters, and writes the gradients. Mean and variance are assumed to be
    recomputed from a row that is still in the cache.
    """
    learned = {"rms": ("D",), "dyt": ("", "D", "D")}.get(norm, ("D", "D"))
    forward = Operation("one kernel", ("ND", *learned), ("ND",))
    backward = Operation("one kernel, backward", ("ND", "ND", *learned), ("ND", *learned))
    return Traffic((forward,), (backward,))


def bytes_moved(
    operations: Sequence[Operation],
    rows: Float[Tensor, "*#sizes"],
    width: Float[Tensor, "*#sizes"],
    size: int,
) -> Float[Tensor, "*sizes"]:
    """Return the number of bytes that a sequence of operations reads and writes.

    Args:
        operations: the operations, in order. A value that one operation writes and the next reads
            counts twice.
        rows: N.
        width: D.
        size: bytes per value.
    """
    return size * torch.stack([each.numbers(rows, width) for each in operations]).sum(0)
