"""Counter for calls of norm functions such as `F.layer_norm`, which module hooks cannot see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

NORM_FUNCTIONS = {
    F.layer_norm: "F.layer_norm",
    F.rms_norm: "F.rms_norm",
    F.group_norm: "F.group_norm",
    F.batch_norm: "F.batch_norm",
    F.instance_norm: "F.instance_norm",
}
FAST_PATHS = (nn.MultiheadAttention, nn.TransformerEncoder, nn.TransformerEncoderLayer)
"""Modules that compute in another way, with other rounding errors, while a function mode is on."""


class FunctionalNormCounter(TorchFunctionMode):
    """Torch function mode that counts calls of norm functions without changing their results.

    Args:
        is_counted: tells whether a call is outside of the modules that are watched.

    Attributes:
        counts: number of calls by name of the function.
    """

    def __init__(self, is_counted: Callable[[], bool]) -> None:
        super().__init__()
        self._is_counted = is_counted
        self.counts: Counter[str] = Counter()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call the function; count the call if it is a norm function."""
        name = NORM_FUNCTIONS.get(func)
        if name is not None and self._is_counted():
            self.counts[name] += 1
        return func(*args, **(kwargs or {}))


def may_count(model: nn.Module) -> bool:
    """Return whether the counter can run without changing any output of a model."""
    return not any(isinstance(module, FAST_PATHS) for module in model.modules())
