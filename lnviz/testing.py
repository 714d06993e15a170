"""Assertions on the norms of a model, for tests with pytest or any other framework."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor, nn


def assert_healthy(model: nn.Module, inputs: Any, allow: str | Collection[str] = ()) -> None:
    """Assert that `lnviz.watch` has no warnings in one forward and backward pass of a model.

    The model runs in its own mode. Its parameters have no new gradients afterwards, and its buffers
    their old values. The loss is a fixed random combination of the outputs.

    Args:
        model: The model.
        inputs: A tensor, a tuple of positional arguments, or a mapping of keyword arguments.
        allow: Kinds of findings that are no failure, such as `("batch",)`, or a single one.

    Raises:
        AssertionError: There is a warning of another kind, or no norm could be followed.
        ValueError: `allow` has a kind that does not exist.

    >>> import torch
    >>> from torch import nn
    >>> assert_healthy(nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8)), torch.randn(3, 4))
    >>> small = nn.Sequential(nn.Linear(4, 2), nn.LayerNorm(2))
    >>> assert_healthy(small, torch.randn(3, 4))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    AssertionError: sign at "1" (warning, certain): The statistics are over two values, ...
    """
    import torch

    from lnviz.diagnostics.findings import WARNING
    from lnviz.diagnostics.hooks import NormWatcher
    from lnviz.diagnostics.rules import check_kinds

    allowed = check_kinds(allow)
    buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
    with NormWatcher(model) as watched:
        output = _call(model, inputs)
        learned = [p for p in model.parameters() if p.requires_grad]
        parts = [part for part in _tensors(output) if part.requires_grad]
        if learned and parts:
            loss = torch.stack([_combination(part) for part in parts]).sum()
            torch.autograd.grad(loss, learned, allow_unused=True)
    findings = watched.findings  # before the running statistics are put back
    with torch.no_grad():
        for name, buffer in model.named_buffers():
            buffer.copy_(buffers[name])
    if not watched.norms:
        raise AssertionError(watched.report())
    faults = [
        str(finding)
        for finding in findings
        if finding.level == WARNING and finding.kind not in allowed
    ]
    if faults:
        raise AssertionError("\n".join(faults))


def _call(model: nn.Module, inputs: Any) -> Any:
    if isinstance(inputs, Mapping):
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, tuple | list) else model(inputs)


def _combination(output: Tensor) -> Tensor:
    """Return a random linear combination of the outputs, as a loss whose gradient is not 0."""
    import torch

    weights = torch.randn(output.shape, generator=torch.Generator().manual_seed(0))
    total: Tensor = (output.abs() if output.is_complex() else output).float()
    return (total * weights.to(total.device)).mean()


def _tensors(output: Any) -> Iterator[Tensor]:
    """Yield all tensors in a model's output."""
    import torch

    if isinstance(output, torch.Tensor):
        yield output
    elif isinstance(output, Mapping):
        for part in output.values():
            yield from _tensors(part)
    elif isinstance(output, tuple | list):
        for part in output:
            yield from _tensors(part)
