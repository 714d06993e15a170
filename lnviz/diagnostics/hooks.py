"""Forward and gradient hooks that record statistics of each call of a model's norms."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import get_ident
from types import TracebackType
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.graph import Node
from torch.utils.hooks import RemovableHandle

from lnviz.diagnostics import gradient_hooks
from lnviz.diagnostics.detection import detect_norm
from lnviz.diagnostics.findings import WARNING, Finding, NormFaultError
from lnviz.diagnostics.functional_norms import FunctionalNormCounter, may_count
from lnviz.diagnostics.module_hook import TRACED, ModuleHook, has_values, is_traced, to_dense
from lnviz.diagnostics.norm_spec import (
    BATCH_NORMS,
    INSTANCE_NORMS,
    NormSpec,
    dtype_name,
    is_named_norm,
    is_norm,
    is_norm_by_class,
    may_be_norm,
    read_bias,
    read_gain,
)
from lnviz.diagnostics.norm_statistics import (
    ALONE,
    CALL_FIELDS,
    CHANNELS,
    DTYPES,
    FEATURES,
    FROZEN,
    ROWS,
    SUMS,
    TOKENS,
    UNTRACKED,
    NormStats,
)
from lnviz.diagnostics.probe import Call
from lnviz.diagnostics.row_buffer import RowBuffer
from lnviz.diagnostics.rules import check_kinds
from lnviz.diagnostics.runs import Run, RunRenderer, build_run
from lnviz.diagnostics.statistics import (
    CALL_STATISTICS,
    GAIN_STATISTICS,
    GroupDetails,
    call_statistics,
    gain_statistics,
    group_details,
    uses_running_statistics,
    vector_length,
)
from lnviz.diagnostics.training_log import ScalarWriter, TrainingLog

MAX_DETECTIONS = 8
"""Number of calls after which a module is no longer watched, if none of them tells what it is."""
MAX_INPUT_BYTES = 256 * 2**20
"""Default limit of the recorded inputs, in bytes."""
MAX_CALLS = 100_000
"""Default limit of the recorded calls: about 60 MB."""
LAYOUT_LAYERS = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Linear, nn.Embedding)
"""Layers whose output tells which axis holds the features."""
PASS = CALL_FIELDS.index("pass")
NEEDS_GRADIENTS = frozenset({"gradient", "double", "mode"})
"""Kinds of findings that are not known before the backward pass."""


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
        problem: the reason why a call was not recorded, or an empty string.
        facts: what its place in the model tells, some of `FACTS`.
        index: position among the norms in the order of their first calls.
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
    problem: str = ""
    facts: set[str] = field(default_factory=set)
    index: int = -1

    def remove_hooks(self) -> None:
        """Stop watching this module."""
        for hook in self.hooks:
            hook.remove()


class NormWatcher:
    """Context manager that records statistics of a model's norms.

    The hooks exist only inside the block and are removed when it ends or raises. They change
    neither outputs nor gradients, and raise no exception: a module that cannot be watched is listed
    in the report with the reason. A compiled model runs in eager mode inside the block, since
    compiled code does not call hooks.

    Args:
        model: any module.
        keep: `statistics`, or `inputs` to also record the inputs of the norms in `inputs`.
        most: limit of the recorded inputs in bytes; inputs beyond it are dropped.
        renderer: renders figures of a run, or None.
        gradients: whether to record gradients, which adds hooks to the tensors of the graph.
        every: a pass is recorded if its number is 1 plus a multiple of this.
        most_calls: limit of the recorded calls. When it is reached, every other recorded pass is
            dropped, and from then on half as many passes are recorded.
        log: CSV file, to which a few statistics of each recorded pass are written, or None.
        writer: TensorBoard's `SummaryWriter`, which gets them, too, or None.
        raise_on: kinds of findings, or one kind, that stop the training: a warning in a recorded
            pass raises a `NormFaultError` at the end of the model's call, or, if it needs
            gradients, at the beginning of the next.

    Raises:
        TypeError: the model is not a `torch.nn.Module`.
        ValueError: `keep`, `every`, `most_calls` or `raise_on` has another value.

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
        *,
        gradients: bool = True,
        every: int = 1,
        most_calls: int = MAX_CALLS,
        log: str | Path | None = None,
        writer: ScalarWriter | None = None,
        raise_on: str | Sequence[str] = (),
    ) -> None:
        if not isinstance(model, nn.Module):
            raise TypeError(
                f"watch() expects a torch.nn.Module, but got {type(model).__name__}. Pass the "
                "model itself, such as pipeline.model."
            )
        if keep not in ("statistics", "inputs"):
            raise ValueError(f"keep must be 'statistics' or 'inputs', but got {keep!r}.")
        if every < 1 or most_calls < 1:
            raise ValueError(
                f"every and most_calls must be at least 1, but got {every} and {most_calls}."
            )
        self.model = model
        self._raise_on = check_kinds(raise_on)
        self._log = TrainingLog(log, writer)
        self._keep, self._input_budget, self._renderer = keep, most, renderer
        self._reads_gradients, self._stride, self._max_calls = gradients, every, most_calls
        self._norm_hooks: dict[str, NormHook] = {}
        self._called: dict[str, NormHook] = {}
        self._calls: dict[int, tuple[int, ...]] = {}
        self._next_row = 0
        self._rows = RowBuffer(len(CALL_STATISTICS) + len(GAIN_STATISTICS))
        self._gradients = RowBuffer(1), RowBuffer(1)
        self._awaiting_recompute: dict[str, list[int]] = {}
        self._exit_stack: ExitStack | None = None
        self._pass_number = 0
        self._spec_by_type: dict[tuple[type[nn.Module], torch.dtype], NormSpec | None] = {}
        self._called_in_pass: set[str] = set()
        self._inside_by_thread: dict[int, list[NormHook]] = {}
        self._in_forward = self._is_busy = False
        self._previous_input: dict[tuple[Any, ...], Tensor] = {}
        self._previous_output: tuple[str, Tensor] | None = None
        self._input_norms: dict[str, str] = {}
        self._stream_nodes: dict[tuple[Any, ...], tuple[set[Node | None], Node | None]] = {}
        self._in_sequence: set[tuple[str, str]] = set()
        self._layout: dict[tuple[int, ...], str] = {}
        self._wrong_axes: dict[str, str] = {}
        self._problems: dict[str, str] = {}
        self._functions = FunctionalNormCounter(self._is_outside)
        self._cached_run: tuple[tuple[int, ...], Run] | None = None

    def __enter__(self) -> NormWatcher:
        if self._exit_stack is not None:
            raise RuntimeError("This watch is active already. End its `with` block first.")
        self._log.begin()
        stack = self._exit_stack = ExitStack()
        try:
            if "torch._dynamo" in sys.modules:  # as soon as anything has been compiled
                stack.enter_context(torch.compiler.set_stance("force_eager"))
            for name, module in self.model.named_modules():
                self._hook_module(name, module)
                if type(module) is nn.Sequential:
                    names = [f"{name}.{child}".lstrip(".") for child, _ in module.named_children()]
                    self._in_sequence.update(pairwise(names))
            if may_count(self.model):
                stack.enter_context(self._functions)
            if not isinstance(self.model, torch.jit.ScriptModule):
                fail = partial(self._note_problem, f"the model ({type(self.model).__name__})")
                before, after = (
                    ModuleHook(call, fail, partial(fail, TRACED))
                    for call in (self._model_pre_hook, self._model_post_hook)
                )
                self._register(self.model.register_forward_pre_hook(before, prepend=True))
                self._register(self.model.register_forward_hook(after, always_call=True))
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
        buffers = (self._rows, *self._gradients)
        seen = *(kept.added for kept in buffers), len(self._unwatched)
        if self._cached_run is None or self._cached_run[0] != seen:
            self._cached_run = seen, self._build_run()
        return self._cached_run[1]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The problems found in the statistics recorded so far, worst first."""
        return self.run.findings

    @property
    def norms(self) -> Mapping[str, NormStats]:
        """The statistics recorded so far, keyed by module name, in the order of first calls."""
        return self.run.norms

    @property
    def inputs(self) -> Mapping[str, list[Tensor]]:
        """The input tensors recorded for each norm, one per call, up to a limit in bytes."""
        return {norm.name: norm.inputs for norm in self._called.values() if norm.inputs}

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

    def _display_(self) -> Any:
        return self.run._display_()

    def _register(self, hook: RemovableHandle) -> None:
        assert self._exit_stack is not None
        self._exit_stack.callback(hook.remove)

    def _hook_module(self, name: str, module: nn.Module) -> None:
        """Add hooks to a module that may be a norm, or whose output has a known layout of axes."""
        if isinstance(module, torch.jit.ScriptModule):
            kind = getattr(module, "original_name", type(module).__name__)
            if is_named_norm(kind):
                self._note_problem(f"{name} ({kind})", "it is scripted or traced")
        elif isinstance(module, LAYOUT_LAYERS):
            record = partial(self._record_layout, isinstance(module, LAYOUT_LAYERS[:3]))
            fail = partial(self._note_problem, f"{name} ({type(module).__name__})")
            self._register(module.register_forward_hook(ModuleHook(record, fail, _do_nothing)))
        elif is_norm(module) or may_be_norm(module):
            norm = self._norm_hooks.setdefault(name, NormHook(name, module))
            fail, skip = partial(self._give_up, norm), partial(self._skip, norm, TRACED)
            before, after = (
                ModuleHook(partial(call, norm), fail, skip)
                for call in (self._pre_hook, self._post_hook)
            )
            norm.hooks = [
                module.register_forward_pre_hook(before),
                module.register_forward_hook(after, with_kwargs=True),
            ]
            for hook in norm.hooks:
                self._register(hook)

    def _remove_hooks(self) -> None:
        stack, self._exit_stack = self._exit_stack, None
        self._end_pass()
        self._awaiting_recompute.clear()
        self._in_forward = False
        if stack is not None:
            stack.close()

    def _note_problem(self, what: str, why: str) -> None:
        self._problems.setdefault(what, why)

    def _skip(self, norm: NormHook, why: str) -> None:
        """Skip a call; keep the first reason why, if the module is known or named as a norm."""
        if norm.spec is not None or is_norm_by_class(norm.module):
            norm.problem = norm.problem or why

    def _give_up(self, norm: NormHook, why: str) -> None:
        """Stop watching a module."""
        self._skip(norm, why)
        norm.remove_hooks()

    @property
    def _unwatched(self) -> tuple[str, ...]:
        """Modules and functions that were not recorded, each with the reason."""
        problems = {
            f"{norm.name or 'the model'} ({type(norm.module).__name__})": norm.problem
            for norm in self._norm_hooks.values()
            if norm.problem
        }
        counted = {
            name: f"it was called {count} time{'s' * (count > 1)} outside norm modules"
            for name, count in self._functions.counts.items()
        }
        lines = self._problems | problems | counted
        return tuple(f"{what}: {why}" for what, why in lines.items())

    def _is_outside(self) -> bool:
        """Return whether no norm is being called or recorded, and no checkpoint recomputed.

        While a model is traced or exported, hooks do not tell which modules are called.
        """
        return not (self._inside or self._is_busy or _is_recomputing() or is_traced())

    def _model_pre_hook(self, module: nn.Module, args: Any) -> None:
        if not _is_recomputing():
            self._in_forward = True
            self._start_pass()

    def _model_post_hook(self, module: nn.Module, args: Any, result: Any) -> None:
        if not _is_recomputing():
            self._in_forward = False
            error = sys.exc_info()[1]  # this hook is called, too, if the model raises one
            for norm in self._inside if error else ():
                why = f"it raised {type(error).__name__}: {error}"
                self._skip(norm, f"{why}{_cause_of_error(norm.module)}")
            self._forget_graph()
            if error is None:
                self._raise_findings(self._raise_on - NEEDS_GRADIENTS)

    def _forget_graph(self) -> None:
        """Drop references that keep the autograd graph of a pass in memory."""
        self._previous_output = None
        self._stream_nodes.clear()

    def _raise_findings(self, kinds: frozenset[str]) -> None:
        """Raise the worst warning of the given kinds in the current pass, if there is any."""
        rows = [row for row, call in self._calls.items() if call[PASS] == self._pass_number]
        if not kinds or not rows:
            return
        for finding in self._build_run(rows).findings:
            if finding.kind in kinds and finding.level == WARNING:
                raise NormFaultError(finding)

    def _start_pass(self) -> None:
        self._raise_findings(self._raise_on & NEEDS_GRADIENTS)
        self._end_pass()
        self._pass_number += 1
        self._called_in_pass.clear()

    def _end_pass(self) -> None:
        for norm in self._inside:  # its forward method did not return
            self._skip(norm, "it raised an error")
        self._inside.clear()
        if self._log.is_on:
            self._write_log()
        self._previous_input.clear()
        self._layout.clear()
        self._forget_graph()
        if len(self._calls) > self._max_calls:
            self._thin()

    def _write_log(self) -> None:
        try:
            self._log.write()
        except Exception as error:
            self._note_problem("the log", f"{type(error).__name__}: {error}")
            self._log = TrainingLog(None, None)

    def _thin(self) -> None:
        """Drop recorded passes until few enough calls are left, and record fewer from now on."""
        while len(self._calls) > self._max_calls and self._stride < self._pass_number:
            self._stride *= 2
            self._calls = {
                row: call for row, call in self._calls.items() if self._is_recorded(call[PASS])
            }
        rows = tuple(self._calls)
        for kept in (self._rows, *self._gradients):
            kept.keep(rows)

    def _is_recorded(self, pass_number: int) -> bool:
        return pass_number <= 1 or (pass_number - 1) % self._stride == 0

    def _record_layout(self, convolves: bool, module: nn.Module, args: Any, result: Any) -> None:
        if isinstance(result, Tensor) and not result.is_nested and not _is_recomputing():
            self._layout[tuple(result.shape)] = CHANNELS if convolves else FEATURES

    def _pre_hook(self, norm: NormHook, module: nn.Module, args: Any) -> None:
        if not _is_recomputing():
            self._inside.append(norm)

    @torch.no_grad()
    def _post_hook(
        self,
        norm: NormHook,
        module: nn.Module,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
    ) -> None:
        call = Call(args, kwargs, result)
        if not _is_recomputing():
            self._leave(norm)
            self._is_busy = True
            try:
                # The counter of functions would make each of our own operations dearer.
                with nullcontext() if call.has_subclasses else torch._C.DisableTorchFunction():
                    self._watch_call(norm, call)
            finally:
                self._is_busy = False
        elif call.tensors and call.output is not None:
            self._match_recompute(norm, call.tensors, call.output)

    def _watch_call(self, norm: NormHook, call: Call) -> None:
        """Record a call of a norm if the current pass is recorded."""
        tensors, output = call.tensors, call.output
        if not self._in_forward and norm.name in self._called_in_pass:
            self._start_pass()
        self._called_in_pass.add(norm.name)
        if not self._is_recorded(self._pass_number) or len(self._calls) > 2 * self._max_calls:
            return
        if not tensors or output is None:
            self._give_up(norm, "it does not turn a tensor into a tensor")
        elif not (has_values(tensors[0]) and has_values(output)):
            self._skip(norm, "its input has no values, as on the meta device or in torch.func.vmap")
        elif tensors[0].numel():
            self._record_call(norm, call, output)

    @property
    def _inside(self) -> list[NormHook]:
        """The norms that the current thread is calling, outermost first."""
        return self._inside_by_thread.setdefault(get_ident(), [])

    def _leave(self, norm: NormHook) -> None:
        """Note that the call of a norm has ended; norms still running inside it have failed."""
        while self._inside and (last := self._inside.pop()) is not norm:
            self._skip(last, "it raised an error")

    def _record_call(self, norm: NormHook, call: Call, result: Tensor) -> None:
        """Record the statistics of one call of a norm, and add hooks that record its gradients."""
        dense, y = [to_dense(each) for each in call.tensors], to_dense(result)
        spec = norm.spec = norm.spec or self._detect(norm, call, dense[0], y)
        if spec is None:
            return
        x, tensors = spec.normalized_input(dense), call.tensors
        stream = spec.is_over_features and spec.over == (-1,) and not spec.groups
        like = (x.shape, x.dtype, x.device)
        numbers = call_statistics(
            spec, norm.module, x, y, self._previous_input.get(like) if stream else None
        )
        numbers = torch.cat([numbers, self._gain_statistics(norm, spec, x.device)])
        details = (
            group_details(spec, x, y)
            if norm.calls & (norm.calls + 1) == 0  # the 1st, 2nd, 4th, 8th call, and so on
            else norm.details
        )
        fields = (
            norm.index if norm.calls else len(self._called),
            norm.calls + 1,
            self._pass_number,
            int(norm.module.training),
            int(torch.is_inference_mode_enabled() or not result.requires_grad),
            x.shape[0],
            x.numel() // max(1, _count_groups(spec, x)),
            DTYPES.index(dtype_name(x)),
            DTYPES.index(dtype_name(x if torch.is_autocast_enabled(x.device.type) else y)),
            int(uses_running_statistics(norm.module)),
        )
        # Nothing below raises, so that a call is recorded in full or not at all.
        row, self._next_row = self._next_row, self._next_row + 1
        if not norm.calls:
            norm.index = len(self._called)
            self._check_axis(norm, spec, x)
        norm.calls, norm.details = norm.calls + 1, details
        self._called[norm.name] = norm
        self._rows.add(row, numbers)
        if self._log.is_on:
            head = self._pass_number, norm.name, norm.calls, int(norm.module.training)
            self._log.add(row, *head, numbers)
        self._calls[row] = fields
        if stream:
            self._previous_input[like] = x.detach()
        self._note_place(norm, call, like)
        inputs, _ = self._stream_nodes.get(like, (set(), None))
        self._stream_nodes[like] = {*inputs, tensors[0].grad_fn} - {None}, result.grad_fn
        self._previous_output = norm.name, result
        if self._keep == "inputs" and x.nbytes <= self._input_budget:
            self._input_budget -= x.nbytes
            norm.inputs.append(x.detach().cpu().clone())
        if not self._reads_gradients:
            return
        if result.requires_grad:
            self._hook_gradients(row, tensors, result)
        elif norm.module.training:
            self._awaiting_recompute.setdefault(norm.name, []).append(row)

    def _note_place(self, norm: NormHook, call: Call, like: tuple[Any, ...]) -> None:
        """Note whether a norm's input is a norm's output, or the sum of that and a branch."""
        x = call.tensors[0]
        if self._previous_output is not None and self._previous_output[1] is x:
            first = self._previous_output[0]
            self._input_norms.setdefault(norm.name, first)
            if (first, norm.name) in self._in_sequence:
                norm.facts.add(ALONE)
        inputs, after = self._stream_nodes.get(like, (set(), None))
        if x.grad_fn is not None and after is not None and x.grad_fn.name().startswith("Add"):
            summands = gradient_hooks.find_summands(x.grad_fn)
            if after in summands and not summands & inputs:
                norm.facts.add(SUMS)

    def _detect(self, norm: NormHook, call: Call, x: Tensor, y: Tensor) -> NormSpec | None:
        """Return a module's specification, or stop watching a module that is not a norm."""
        if not x.is_floating_point() or x.shape != y.shape:
            self._give_up(norm, f"it turns {dtype_name(x)} of {_shape(x)} into {_shape(y)}")
            return None
        key = type(norm.module), x.dtype
        named = is_norm_by_class(norm.module)
        if not named and key in self._spec_by_type and self._spec_by_type[key] is None:
            norm.remove_hooks()  # another module of its class is not a norm
            return None
        if any(each.is_nested for each in call.tensors):
            call = Call((x,), {}, y)
        found = detect_norm(norm.module, call, self._spec_by_type.get(key))
        if found.spec is not None or found.is_final:
            self._spec_by_type[key] = found.spec
        norm.failed_detections += found.spec is None
        if found.spec is None and (found.is_final or norm.failed_detections == MAX_DETECTIONS):
            self._give_up(norm, "its output fits none of the formulas of norms")
        return found.spec

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
        """Record whether a norm is over another axis than the previous layer's features."""
        shape, features = tuple(x.shape), spec.is_over_features
        layout = self._layout.get(shape)
        if features and spec.over == (-1,) and layout == CHANNELS and shape[1] != shape[-1]:
            self._wrong_axes[norm.name] = CHANNELS
        elif features and spec.over == (-2, -1) and x.dim() == 3 and layout == FEATURES:
            self._wrong_axes[norm.name] = TOKENS
        elif spec.kind == "batch" and x.dim() == 3 and layout == FEATURES:
            self._wrong_axes[norm.name] = FEATURES
        elif spec.kind == "instance" and x.dim() == len(spec.over) + 1:
            is_wrong = len(x) != norm.module.num_features
            self._wrong_axes.update({norm.name: ROWS} if is_wrong else {})

    def _match_recompute(self, norm: NormHook, tensors: list[Tensor], y: Tensor) -> None:
        """Add gradient hooks when checkpointing repeats a recorded call in the backward pass."""
        waiting = self._awaiting_recompute.get(norm.name)
        if waiting and y.requires_grad:
            self._hook_gradients(waiting.pop(), tensors, y)

    def _hook_gradients(self, row: int, tensors: list[Tensor], y: Tensor) -> None:
        """Record the gradients of a call's input and output when the backward pass computes them.

        The hooks are those of the graph, not of the module: full backward hooks would forbid a ReLU
        in place after the norm.
        """
        into, out = self._gradients
        y.register_hook(partial(self._record_gradient, out, row))
        x, *others = tensors
        if x.requires_grad:
            gradient_hooks.hook_input(x, y, others, partial(self._record_gradient, into, row))

    def _record_gradient(self, kept: RowBuffer, row: int, gradient: Tensor) -> None:
        if self._exit_stack is None or row not in self._calls:
            return
        try:
            dense = to_dense(gradient.detach())
            if has_values(dense):
                size = (vector_length(dense) / max(1, dense.numel()) ** 0.5)[None]
                kept.add(row, size)
                self._log.add_gradient(row, int(kept is self._gradients[1]), size)
        except Exception as error:
            self._note_problem("gradients", f"{type(error).__name__}: {error}")

    def _module_facts(self, module: nn.Module) -> frozenset[str]:
        """Return whether a norm's parameters are frozen and its statistics untracked."""
        own = [*module.parameters()]
        frozen = own and not any(p.requires_grad for p in own)
        trained = frozen and any(p.requires_grad for p in self.model.parameters())
        untracked = isinstance(module, BATCH_NORMS) and module.running_mean is None
        return frozenset([FROZEN] * bool(trained) + [UNTRACKED] * untracked)

    def _build_run(self, rows: Sequence[int] | None = None) -> Run:
        """Return a run with the given rows, or with all rows."""
        rows = tuple(self._calls) if rows is None else rows
        calls = [self._calls[row] for row in rows]
        indices = sorted({call[0] for call in calls})
        positions = {index: at for at, index in enumerate(indices)}
        called = list(self._called.values())
        norms = [called[index] for index in indices]
        return build_run(
            type(self.model).__name__,
            [
                (norm.name, type(norm.module).__name__, norm.spec, norm.details, gains)
                for norm in norms
                if norm.spec is not None
                for gains in [
                    (read_gain(norm.module, norm.spec), read_bias(norm.module, norm.spec))
                ]
            ],
            [(positions[index], *others) for index, *others in calls],
            self._rows.table(rows),
            torch.cat([kept.table(rows) for kept in self._gradients], 1),
            self._input_norms,
            self._wrong_axes,
            {norm.name: _has_initial_statistics(norm.module) for norm in norms},
            {norm.name: frozenset(norm.facts) | self._module_facts(norm.module) for norm in norms},
            self._unwatched,
            self._renderer,
        )


def _is_recomputing() -> bool:
    """Return whether a backward pass is running, during which checkpointing calls modules again.

    PyTorch has no public function that tells this.
    """
    return bool(torch._C._current_graph_task_id() != -1)


def _shape(x: Tensor) -> str:
    return f"shape {tuple(x.shape)}"


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


def _cause_of_error(module: nn.Module) -> str:
    """Return why a norm of PyTorch refuses inputs with a single value per channel."""
    if isinstance(module, BATCH_NORMS) and not module.training and module.running_mean is None:
        return "; it tracks no running statistics, so it evaluates with those of the batch"
    if isinstance(module, (*BATCH_NORMS, *INSTANCE_NORMS)):
        return "; if it gets a single value per channel, there is no variance to divide by"
    return ""


def _do_nothing() -> None:
    """Do nothing: the `skip` callback of a hook that needs none."""
