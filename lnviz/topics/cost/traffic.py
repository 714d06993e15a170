"""Which operations a norm runs, and what each of them reads and writes."""

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
META = torch.device("meta")  # shapes without numbers


@dataclass(frozen=True)
class Operation:
    """One operation, and the shapes of what it reads and writes: "ND", "N", "D" or "" (one number).

    Attributes:
        name: PyTorch's name of it.
        reads: a shape for each tensor.
        writes: a shape for each tensor that it writes.
    """

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]

    @property
    def passes(self) -> tuple[int, int]:
        """How often it reads all N D numbers, and how often it writes as many."""
        return self.reads.count("ND"), self.writes.count("ND")

    def numbers(
        self, rows: Float[Tensor, "*#sizes"], width: Float[Tensor, "*#sizes"]
    ) -> Float[Tensor, "*sizes"]:
        """Count the numbers that it reads and writes.

        >>> Operation("sub", ("ND", "N"), ("ND",)).numbers(torch.tensor(2.0), torch.tensor(10.0))
        tensor(42.)
        """
        sizes = {"ND": rows * width, "N": rows + 0 * width, "D": width + 0 * rows}
        one = torch.ones_like(sizes["ND"])
        every = [sizes.get(shape, one) for shape in (*self.reads, *self.writes)]
        return torch.stack(every).sum(0)


class _Trace(TorchDispatchMode):
    """Writes down what PyTorch runs, below automatic differentiation."""

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
        if not func.is_view:  # what only looks at the same numbers in another way moves none
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
    """Return the operations that PyTorch runs on `ROWS` x `WIDTH` numbers, in order."""
    recorder = _Trace()
    with recorder:
        run()
    return tuple(recorder.operations)


@dataclass(frozen=True)
class Traffic:
    """What a norm runs.

    Attributes:
        forward: operations in order.
        backward: the operations of the way back, in order.
    """

    forward: tuple[Operation, ...]
    backward: tuple[Operation, ...]

    def of(self, both: bool) -> tuple[Operation, ...]:
        """Return the operations forward, or those of both ways."""
        return self.forward + self.backward if both else self.forward


def unfused_traffic(norm: str) -> Traffic:
    """Return what a norm runs that is written out in PyTorch's operations, and its gradient.

    Nothing is computed: the tensors have shapes and no numbers.

    Args:
        norm: a key of `lnviz.topics.cost.ways.WRITTEN`.

    >>> [operation.name for operation in unfused_traffic("rms").forward]
    ['pow', 'mean', 'add', 'sqrt', 'div', 'mul']
    """
    return _traced(norm, "written")


def builtin_traffic(norm: str) -> Traffic:
    """Return what PyTorch's own function runs on a CPU: for LayerNorm one operation each way."""
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
    """Return what a norm cannot do without: one operation each way.

    Forward it reads x and the parameters and writes the output; backward it reads x, the gradient
    and the parameters and writes gradients. Mean and variance are taken to be computed anew from
    a row that is still in the cache.
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
    """Return the bytes that operations read and write, one after the other.

    Args:
        operations: the operations, in order; what one writes and the next reads is written and
            read.
        rows: N.
        width: D.
        size: bytes of a number.
    """
    return size * torch.stack([each.numbers(rows, width) for each in operations]).sum(0)
