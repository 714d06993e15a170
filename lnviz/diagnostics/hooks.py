"""Forward and gradient hooks that record statistics of every call of a model's norms."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from lnviz.diagnostics.detection import (
    NormSpec,
    detect_norm,
    is_norm,
    may_be_norm,
    read_bias,
    read_gain,
)
from lnviz.diagnostics.findings import Finding
from lnviz.diagnostics.norm_statistics import DTYPES, NormStats
from lnviz.diagnostics.row_buffer import RowBuffer
from lnviz.diagnostics.runs import Run, RunRenderer, build_run
from lnviz.diagnostics.statistics import (
    CALL_STATISTICS,
    GAIN_STATISTICS,
    GroupDetails,
    call_statistics,
    gain_statistics,
    group_details,
    vector_length,
)

MAX_DETECTIONS = 8
"""Number of calls after which a module that was not detected as a norm is no longer watched."""
MAX_INPUT_BYTES = 256 * 2**20
"""Default limit of the recorded inputs, in bytes."""
LAYOUT_LAYERS = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Linear, nn.Embedding)
"""Layers whose output tells which axis holds the features."""
CHANNELS, FEATURES = "channels", "features"


@dataclass(eq=False)
class NormHook:
    """State that `NormWatcher` keeps for one module: its norm type, call count, details and hooks.

    Attributes:
        name: name of the module in the model.
        module: the module.
        spec: the detected norm's specification, or None before detection.
        calls: number of calls.
        details: details of the last call for which they were computed.
        failed_detections: number of calls in which detection was inconclusive.
        cached_gain: version of the gain parameter, and the statistics of its values.
        hooks: handles of the module's hooks.
        inputs: recorded inputs.
    """

    name: str
    module: nn.Module
    spec: NormSpec | None = None
    calls: int = 0
    details: GroupDetails | None = None
    failed_detections: int = 0
    cached_gain: tuple[int, Tensor] | None = None
    hooks: list[RemovableHandle] = field(default_factory=list)
    inputs: list[Tensor] = field(default_factory=list)


class NormWatcher:
    """Context manager that records statistics of a model's norms.

    The hooks exist only inside the block and are removed when it ends or raises. The model's
    outputs do not change. A compiled model runs in eager mode inside the block, since compiled code
    does not call hooks.

    Args:
        model: any module.
        keep: `statistics`, or `inputs` to also record the inputs of the norms in `inputs`.
        most: limit of the recorded inputs in bytes; inputs beyond it are dropped.
        renderer: renders figures of a run, or None.

    Raises:
        TypeError: the model is not a `torch.nn.Module`.
        ValueError: `keep` has another value.

    >>> model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8))
    >>> with NormWatcher(model) as watched:
    ...     _ = model(torch.randn(3, 4))
    >>> watched.norms["1"].spec.statistics_over, len(watched.to_frame())
    ('the last axis', 1)
    """

    def __init__(
        self,
        model: nn.Module,
        keep: str = "statistics",
        most: int = MAX_INPUT_BYTES,
        renderer: RunRenderer | None = None,
    ) -> None:
        if not isinstance(model, nn.Module):
            raise TypeError(
                f"What is watched is a torch.nn.Module, got {type(model).__name__}. Hand over the "
                "model itself, such as pipeline.model."
            )
        if keep not in ("statistics", "inputs"):
            raise ValueError(f"keep is 'statistics' or 'inputs', got {keep!r}.")
        self.model = model
        self._keep, self._input_budget, self._renderer = keep, most, renderer
        self._norm_hooks: dict[str, NormHook] = {}
        self._call_order: list[NormHook] = []
        self._calls: list[tuple[int, ...]] = []
        self._rows = RowBuffer(len(CALL_STATISTICS) + len(GAIN_STATISTICS))
        self._gradients = RowBuffer(1), RowBuffer(1)
        self._gradient_hooks: dict[int, list[RemovableHandle]] = {}
        self._awaiting_recompute: dict[str, list[int]] = {}
        self._exit_stack: ExitStack | None = None
        self._pass_number = 0
        self._spec_by_type: dict[tuple[type[nn.Module], torch.dtype], NormSpec] = {}
        self._called_in_pass: set[str] = set()
        self._in_forward = False
        self._previous_input: dict[tuple[Any, ...], Tensor] = {}
        self._previous_output: tuple[str, Tensor] | None = None
        self._input_norms: dict[str, str] = {}
        self._layout: dict[str, tuple[int, ...]] = {}
        self._wrong_axes: dict[str, str] = {}
        self._cached_run: tuple[tuple[int, int], Run] | None = None

    def __enter__(self) -> NormWatcher:
        if self._exit_stack is not None:
            raise RuntimeError("This model is being watched already. End that block first.")
        stack = self._exit_stack = ExitStack()
        try:
            if _may_be_compiled(self.model):
                stack.enter_context(torch.compiler.set_stance("force_eager"))
            for name, module in self.model.named_modules():
                if isinstance(module, LAYOUT_LAYERS):
                    seen = partial(self._record_layout, isinstance(module, LAYOUT_LAYERS[:3]))
                    self._register(module.register_forward_hook(seen))
                elif is_norm(module) or may_be_norm(module):
                    norm = self._norm_hooks.setdefault(name, NormHook(name, module))
                    before = partial(self._pre_hook, norm)
                    after = partial(self._post_hook, norm)
                    norm.hooks = [
                        module.register_forward_pre_hook(before, with_kwargs=True),
                        module.register_forward_hook(after, with_kwargs=True),
                    ]
                    for hook in norm.hooks:
                        self._register(hook)
            self._register(self.model.register_forward_pre_hook(self._model_pre_hook, prepend=True))
            self._register(
                self.model.register_forward_hook(self._model_post_hook, always_call=True)
            )
        except BaseException:
            self._remove_hooks()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._remove_hooks()

    @property
    def run(self) -> Run:
        """The statistics recorded so far, as a `Run`."""
        seen = len(self._calls), sum(kept.added for kept in self._gradients)
        if self._cached_run is None or self._cached_run[0] != seen:
            self._cached_run = seen, self._build_run()
        return self._cached_run[1]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The problems found in the statistics recorded so far, worst first."""
        return self.run.findings

    @property
    def norms(self) -> Mapping[str, NormStats]:
        """The statistics recorded so far by module name, in order of the modules' first calls."""
        return self.run.norms

    @property
    def inputs(self) -> Mapping[str, list[Tensor]]:
        """The input tensors recorded for each norm, one per call, up to a limit in bytes."""
        return {norm.name: norm.inputs for norm in self._call_order if norm.inputs}

    def report(self) -> str:
        """Return a text report: the findings, then a table of the norms."""
        return self.run.report()

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per call of a norm."""
        return self.run.to_frame()

    def figure(self, name: str) -> Any:
        """Return a figure of the recorded statistics: `stream`, `massive`, `gains` or `gradients`.

        Raises:
            ValueError: there is no such figure, or the run has no data for it.
        """
        return self.run.figure(name)

    def save(self, path: str | Path) -> None:
        """Save the recorded statistics to a file that `lnviz.load` reads."""
        self.run.save(path)

    def write_html(self, path: str | Path) -> None:
        """Write the report and the figures to a single self-contained HTML file."""
        self.run.write_html(path)

    def __repr__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        return self.run._repr_html_()

    def _ipython_display_(self) -> None:
        self.run._ipython_display_()

    def _register(self, hook: RemovableHandle) -> None:
        assert self._exit_stack is not None
        self._exit_stack.callback(hook.remove)

    def _remove_hooks(self) -> None:
        stack, self._exit_stack = self._exit_stack, None
        for hooks in self._gradient_hooks.values():
            for hook in hooks:
                hook.remove()
        self._gradient_hooks.clear()
        self._awaiting_recompute.clear()
        self._previous_input.clear()
        self._previous_output, self._in_forward = None, False
        if stack is not None:
            stack.close()

    def _model_pre_hook(self, module: nn.Module, args: Any) -> None:
        if not _is_recomputing():
            self._in_forward = True
            self._start_pass()

    def _model_post_hook(self, module: nn.Module, args: Any, result: Any) -> None:
        if not _is_recomputing():
            self._in_forward = False

    def _start_pass(self) -> None:
        self._pass_number += 1
        self._called_in_pass.clear()
        self._previous_input.clear()
        self._layout.clear()
        self._previous_output = None

    def _record_layout(self, convolves: bool, module: nn.Module, args: Any, result: Any) -> None:
        if isinstance(result, Tensor) and not _is_recomputing():
            self._layout[CHANNELS if convolves else FEATURES] = tuple(result.shape)

    def _pre_hook(
        self, norm: NormHook, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """Replace a norm's input by a view, whose gradient hooks see only this norm's gradient."""
        argument = _first_tensor_argument(args, kwargs)
        if argument is None:
            return None
        x = _get_argument(args, kwargs, argument)
        if (
            not _is_recomputing()
            and self._previous_output is not None
            and self._previous_output[1] is x
        ):
            self._input_norms.setdefault(norm.name, self._previous_output[0])
        if not (torch.is_grad_enabled() and x.requires_grad):
            return None
        if isinstance(argument, int):
            return (*args[:argument], x.view_as(x), *args[argument + 1 :]), kwargs
        return args, {**kwargs, argument: x.view_as(x)}

    @torch.no_grad()
    def _post_hook(
        self,
        norm: NormHook,
        module: nn.Module,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
    ) -> None:
        argument = _first_tensor_argument(args, kwargs)
        x = None if argument is None else _get_argument(args, kwargs, argument)
        if x is None or not isinstance(result, Tensor) or x.is_meta or not x.numel():
            return
        if _is_recomputing():
            self._match_recompute(norm, x, result)
            return
        if norm.spec is None:
            like = self._spec_by_type.get((type(module), x.dtype))
            norm.spec = detect_norm(module, x, result, like)
            if norm.spec is not None:
                self._spec_by_type[type(module), x.dtype] = norm.spec
            else:
                norm.failed_detections += 1
                if (
                    norm.failed_detections == MAX_DETECTIONS
                    or not x.is_floating_point()
                    or x.shape != result.shape
                ):
                    for hook in norm.hooks:
                        hook.remove()
                return
        if not self._in_forward and norm.name in self._called_in_pass:
            self._start_pass()
        self._called_in_pass.add(norm.name)
        self._record_call(norm, norm.spec, x, result)

    def _record_call(self, norm: NormHook, spec: NormSpec, x: Tensor, y: Tensor) -> None:
        """Record the statistics of one call of a norm, and add hooks that record its gradients."""
        if not norm.calls:
            self._call_order.append(norm)
            self._check_axis(norm, spec, x)
        norm.calls += 1
        stream = spec.over == (-1,)
        like = (x.shape, x.dtype, x.device)
        before = self._previous_input.get(like) if stream else None
        numbers = call_statistics(spec, norm.module, x, y, before)
        if stream:
            self._previous_input[like] = x.detach()
        if norm.calls & (norm.calls - 1) == 0:  # the 1st, 2nd, 4th, 8th call, and so on
            norm.details = group_details(spec, x, y)
        row = len(self._calls)
        self._rows.add(row, torch.cat([numbers, self._gain_statistics(norm, spec, x.device)]))
        self._calls.append(
            (
                self._call_order.index(norm),
                norm.calls,
                self._pass_number,
                int(norm.module.training),
                int(torch.is_inference_mode_enabled() or not y.requires_grad),
                x.shape[0],
                x.numel() // max(1, _count_groups(spec, x)),
                DTYPES.index(str(x.dtype).removeprefix("torch.")),
            )
        )
        if self._keep == "inputs" and x.nbytes <= self._input_budget:
            self._input_budget -= x.nbytes
            norm.inputs.append(x.detach().cpu().clone())
        self._previous_output = norm.name, y
        if y.requires_grad:
            self._hook_gradients(row, x, y)
        elif norm.module.training:
            self._awaiting_recompute.setdefault(norm.name, []).append(row)

    def _gain_statistics(self, norm: NormHook, spec: NormSpec, device: torch.device) -> Tensor:
        """Return statistics of a norm's gains, recomputed only after the parameter has changed."""
        held = read_gain(norm.module, spec)
        if held is None:
            return torch.full((len(GAIN_STATISTICS),), torch.nan, device=device)
        version, values = held
        if norm.cached_gain is None or norm.cached_gain[0] != version:
            norm.cached_gain = version, gain_statistics(values)
        return norm.cached_gain[1].to(device)

    def _check_axis(self, norm: NormHook, spec: NormSpec, x: Tensor) -> None:
        """Record whether a norm normalizes an axis other than the previous layer's feature axis."""
        shape = tuple(x.shape)
        last = spec.over == (-1,)
        if last and x.dim() >= 4 and self._layout.get(CHANNELS) == shape and shape[1] != shape[-1]:
            self._wrong_axes[norm.name] = CHANNELS
        wrong = spec.kind == "batch" and x.dim() == 3 and self._layout.get(FEATURES) == shape
        if wrong and shape[1] != shape[2] and self._layout.get(CHANNELS) != shape:
            self._wrong_axes[norm.name] = FEATURES

    def _match_recompute(self, norm: NormHook, x: Tensor, y: Tensor) -> None:
        """Add gradient hooks to a call that checkpointing repeats in the backward pass."""
        waiting = self._awaiting_recompute.get(norm.name)
        if waiting and y.requires_grad:
            self._hook_gradients(waiting.pop(), x, y)

    def _hook_gradients(self, row: int, x: Tensor, y: Tensor) -> None:
        into, out = self._gradients
        last = into if x.requires_grad else out

        def taken(kept: RowBuffer, gradient: Tensor) -> None:
            if self._exit_stack is None:
                return
            if kept is last:  # a handle takes more memory than the numbers of its row
                self._gradient_hooks.pop(row, None)
            size = vector_length(gradient.detach())
            kept.add(row, (size / max(1, gradient.numel()) ** 0.5)[None])

        # Hooks of tensors, not of modules: those would forbid a ReLU in place behind the norm.
        self._gradient_hooks[row] = [
            part.register_hook(partial(taken, kept))
            for part, kept in ((x, into), (y, out))
            if part.requires_grad
        ]

    def _build_run(self) -> Run:
        return build_run(
            type(self.model).__name__,
            [
                (norm.name, type(norm.module).__name__, norm.spec, norm.details, gains)
                for norm in self._call_order
                if norm.spec is not None
                for gains in [
                    (read_gain(norm.module, norm.spec), read_bias(norm.module, norm.spec))
                ]
            ],
            self._calls,
            self._rows.table(len(self._calls)),
            torch.cat([kept.table(len(self._calls)) for kept in self._gradients], 1),
            self._input_norms,
            self._wrong_axes,
            {norm.name: _has_initial_statistics(norm.module) for norm in self._call_order},
            self._renderer,
        )


def _may_be_compiled(model: nn.Module) -> bool:
    """Return whether the model or any of its modules may run as compiled code (`torch.compile`)."""
    return "torch._dynamo" in sys.modules or any(
        getattr(module, "_compiled_call_impl", None) is not None for module in model.modules()
    )


def _is_recomputing() -> bool:
    """Return whether a backward pass is running, during which checkpointing calls modules again."""
    return bool(torch._C._current_graph_task_id() != -1)


def _first_tensor_argument(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | str | None:
    """Return the index or the keyword of a call's first tensor argument, or None if it has none."""
    for at, value in enumerate(args):
        if isinstance(value, Tensor):
            return at
    return next((name for name, value in kwargs.items() if isinstance(value, Tensor)), None)


def _get_argument(args: tuple[Any, ...], kwargs: dict[str, Any], argument: int | str) -> Tensor:
    value: Tensor = args[argument] if isinstance(argument, int) else kwargs[argument]
    return value


def _count_groups(spec: NormSpec, x: Tensor) -> int:
    values = spec.split_groups(x)
    shared = {axis % values.dim() for axis in spec.over}
    groups = 1
    for axis, side in enumerate(values.shape):
        groups *= 1 if axis in shared else side
    return groups


def _has_initial_statistics(module: nn.Module) -> bool:
    """Return whether a BatchNorm's running statistics still have their initial values."""
    mean, variance = (getattr(module, f"running_{name}", None) for name in ("mean", "var"))
    if mean is None or variance is None:
        return False
    return bool((mean == 0).all() and (variance == 1).all())
