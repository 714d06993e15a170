"""Calls of a module's copies on chosen inputs and parameters; the module stays unchanged.

Random inputs of very different sizes, and random parameters, tell what a module computes where the
inputs of the model do not: if they all have an RMS of 1, if the gains are 0, or if the output is
infinite.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

SIZES = (30.0, 1.0, 1e-2, 1e-4)
"""Sizes of the inputs. Small ones tell how epsilon is used, the largest that it is not."""
MAX_EXAMPLES, MAX_POSITIONS = 2, 8
"""Maximum lengths of the first axis, and of the second of three."""


@dataclass(frozen=True, eq=False)
class Call:
    """One call of a module.

    Attributes:
        args: its positional arguments.
        kwargs: its keyword arguments.
        result: its result.
    """

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    result: Any

    @property
    def tensors(self) -> list[Tensor]:
        """The arguments that are tensors."""
        return [each for each in (*self.args, *self.kwargs.values()) if isinstance(each, Tensor)]

    @property
    def has_subclasses(self) -> bool:
        """True if an argument or a result is of a subclass of `Tensor`, such as a nested tensor."""
        held = self.result if isinstance(self.result, tuple | list) else (self.result,)
        each = (*self.args, *self.kwargs.values(), *held)
        plain = (Tensor, nn.Parameter)
        return any(isinstance(value, Tensor) and type(value) not in plain for value in each)

    @property
    def output(self) -> Tensor | None:
        """The result, or the first tensor of a tuple."""
        held = self.result if isinstance(self.result, tuple | list) else (self.result,)
        return next((each for each in held if isinstance(each, Tensor)), None)


class Probe:
    """Probe of a module: calls copies of the module on random inputs.

    Args:
        module: the module.
        call: a call of it, for the number and shapes of its arguments.
    """

    def __init__(self, module: nn.Module, call: Call) -> None:
        self.module, self.call = module, call
        self._generator = torch.Generator().manual_seed(0)

    @property
    def is_possible(self) -> bool:
        """False in distributed runs, where all processes might have to call the module."""
        distributed = torch.distributed
        return not (
            distributed.is_available()
            and distributed.is_initialized()
            and distributed.get_world_size() > 1
        )

    def parameters(self) -> dict[str, Tensor]:
        """Return random parameters: distinct values between 0.5 and 1.5, in float32."""
        return {
            name: (0.5 + self._random(p.shape, torch.rand)).to(p.device)
            for name, p in self.module.named_parameters()
        }

    def run(
        self, size: float, dtype: torch.dtype, parameters: Mapping[str, Tensor], *, whole: bool
    ) -> Call:
        """Call a copy of the module on a random input, without gradients.

        Args:
            size: typical size of the input's values.
            dtype: dtype of the input, the parameters and the buffers.
            parameters: values of the parameters.
            whole: whether the input is as long as that of the model's call.
        """
        x = self.call.tensors[0]
        shape = list(x.shape)
        if not whole and x.dim() > 1:
            shape[0] = min(shape[0], MAX_EXAMPLES)
            if x.dim() == 3:
                shape[1] = min(shape[1], MAX_POSITIONS)

        def replaced(value: Any) -> Any:
            if not isinstance(value, Tensor) or value.shape != x.shape:
                return value
            return (size * self._values(shape)).to(x.device, dtype)

        args = tuple(map(replaced, self.call.args))
        kwargs = {name: replaced(value) for name, value in self.call.kwargs.items()}
        held = {name: values.to(dtype) for name, values in parameters.items()}
        held |= {
            name: (buffer.to(dtype) if buffer.is_floating_point() else buffer).clone()
            for name, buffer in self.module.named_buffers()
        }
        caller = _Forward(copy.copy(self.module))
        devices = [x.device] if x.device.type == "cuda" else []
        with (
            torch.no_grad(),
            torch.random.fork_rng(devices),
            torch.autocast(x.device.type, enabled=False),
        ):
            result = functional_call(
                caller, {f"inner.{name}": values for name, values in held.items()}, args, kwargs
            )
        return Call(args, kwargs, result)

    def _values(self, shape: list[int]) -> Tensor:
        """Return random values whose mean and magnitude vary along each axis."""
        values = self._random(shape, torch.randn) + 0.5
        for axis, side in enumerate(shape):
            sizes = self._random([side], torch.randn).mul(0.5).exp()
            values = values * sizes.reshape([side if at == axis else 1 for at in range(len(shape))])
        return values

    def _random(self, shape: Any, draw: Any) -> Tensor:
        drawn: Tensor = draw(tuple(shape), generator=self._generator)
        return drawn


class _Forward(nn.Module):
    """Wrapper that calls a module's forward method without its hooks."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return type(self.inner).forward(self.inner, *args, **kwargs)
