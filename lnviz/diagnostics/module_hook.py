"""Module hooks that cannot disturb a model: they report errors, and copies of it drop them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor

from lnviz.diagnostics.findings import NormFaultError

TRACED = "it was called while the model was traced or exported"


class ModuleHook:
    """Forward or forward pre-hook of a module that reports errors instead of raising them.

    Only a `NormFaultError` is raised, for which the user has asked.

    The hook does nothing while a model is traced, exported or compiled, so that it does not become
    part of the graph. A pickled or deep-copied module holds a hook without effect instead, which
    needs nothing but the standard library.

    Args:
        call: is called with the arguments of the hook.
        fail: is called with the reason if the call raises an error.
        skip: is called instead while the model is traced or exported.
    """

    def __init__(
        self, call: Callable[..., None], fail: Callable[[str], None], skip: Callable[[], None]
    ) -> None:
        self._call, self._fail, self._skip = call, fail, skip

    def __call__(self, *args: Any) -> None:
        """Call the hook function; report an error instead of raising it."""
        if torch.compiler.is_dynamo_compiling():
            return
        try:
            if is_traced():
                self._skip()
            else:
                self._call(*args)
        except NormFaultError:
            raise  # the user has asked for it
        except Exception as error:
            self._fail(f"{type(error).__name__}: {error}")

    @property
    def __name__(self) -> str:
        """Name of the function, for which `torch.jit.script` asks before it compiles a hook."""
        raise AttributeError(
            "torch.jit.script cannot script a module while lnviz.watch watches it. Script it "
            "before the block or after it."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (nullcontext(), "__exit__")


def is_traced() -> bool:
    """Return whether a model is being traced, exported or compiled."""
    traced = torch.jit.is_tracing()  # type: ignore[attr-defined, no-untyped-call]
    return bool(traced or torch.compiler.is_compiling())


def has_values(x: Tensor) -> bool:
    """Return whether a tensor's values can be read, unlike meta, fake or functorch tensors.

    Tensors on the meta device and fake tensors hold none, nor do those that `torch.func.vmap` and
    `torch.func.grad` pass to a function.
    """
    if x.is_nested:
        return True
    try:
        return x.untyped_storage().device.type != "meta"
    except (NotImplementedError, RuntimeError):
        return False


def to_dense(x: Tensor) -> Tensor:
    """Concatenate a nested tensor's components along axis 0; return other tensors unchanged."""
    return torch.cat(x.unbind()) if x.is_nested else x
