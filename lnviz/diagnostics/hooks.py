"""Watches the norms of a model: hooks that take numbers of every call, and let go again."""

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

from lnviz.diagnostics.detection import Facts, bias_of, gain_of, is_norm, may_be_norm, recognized
from lnviz.diagnostics.findings import Finding
from lnviz.diagnostics.norm_statistics import DTYPES, Seen
from lnviz.diagnostics.ring_buffer import Kept
from lnviz.diagnostics.runs import Draws, Run, made
from lnviz.diagnostics.statistics import CALL, GAIN, Details, details, of_call, of_gain

TRIES = 8
"""Calls by which a module has to show that it is a norm."""
MOST = 256 * 2**20
"""Bytes of inputs that are kept at most, where they are."""
LAYERS = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Linear, nn.Embedding)
"""Layers whose output says which axis the features are on."""
CHANNELS, FEATURES = "channels", "features"


@dataclass(eq=False)
class Watching:
    """One norm while it is watched.

    Attributes:
        name: the module's name in the model.
        module: the module.
        facts: what it does, once that is known.
        calls: how often it was called.
        details: of the last call of which they were taken.
        tries: calls that have not told what it does.
        gain: the numbers of its gains, and the version of the parameter that they are of.
    """

    name: str
    module: nn.Module
    facts: Facts | None = None
    calls: int = 0
    details: Details | None = None
    tries: int = 0
    gain: tuple[int, Tensor] | None = None
    hooks: list[RemovableHandle] = field(default_factory=list)
    inputs: list[Tensor] = field(default_factory=list)


class Watched:
    """Watches a model's norms as long as its block lasts, and tells what it has seen.

    Hooks stand on the model's norms while the block runs, and none is left behind it, also when it
    raises. What the model computes stays the same. A model that is compiled runs as it was before
    it was compiled: compiled code has no places for hooks.

    Args:
        model: any module.
        keep: `statistics`, or `inputs` to keep what goes into the norms, too, in `inputs`.
        most: bytes of inputs that are kept at most; the first ones are.
        draws: what draws a run's figures.

    Raises:
        TypeError: what is to be watched is no module.
        ValueError: `keep` is none of both.

    >>> model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8))
    >>> with Watched(model) as watched:
    ...     _ = model(torch.randn(3, 4))
    >>> watched.norms["1"].facts.shares, len(watched.to_frame())
    ('the last axis', 1)
    """

    def __init__(
        self,
        model: nn.Module,
        keep: str = "statistics",
        most: int = MOST,
        draws: Draws | None = None,
    ) -> None:
        if not isinstance(model, nn.Module):
            raise TypeError(
                f"What is watched is a torch.nn.Module, got {type(model).__name__}. Hand over the "
                "model itself, such as pipeline.model."
            )
        if keep not in ("statistics", "inputs"):
            raise ValueError(f"keep is 'statistics' or 'inputs', got {keep!r}.")
        self.model = model
        self._keep, self._room, self._draws = keep, most, draws
        self._watching: dict[str, Watching] = {}
        self._order: list[Watching] = []
        self._calls: list[tuple[int, ...]] = []
        self._kept = Kept(len(CALL) + len(GAIN))
        self._gradients = Kept(1), Kept(1)
        self._backward: dict[int, list[RemovableHandle]] = {}
        self._unpaired: dict[str, list[int]] = {}
        self._open: ExitStack | None = None
        self._pass = 0
        self._alike: dict[tuple[type[nn.Module], torch.dtype], Facts] = {}
        self._met: set[str] = set()
        self._inside = False
        self._last: dict[tuple[Any, ...], Tensor] = {}
        self._given: tuple[str, Tensor] | None = None
        self._double: dict[str, str] = {}
        self._layout: dict[str, tuple[int, ...]] = {}
        self._axes: dict[str, str] = {}
        self._run: tuple[tuple[int, int], Run] | None = None

    def __enter__(self) -> Watched:
        if self._open is not None:
            raise RuntimeError("This model is being watched already. End that block first.")
        stack = self._open = ExitStack()
        try:
            if _compiled(self.model):
                stack.enter_context(torch.compiler.set_stance("force_eager"))
            for name, module in self.model.named_modules():
                if isinstance(module, LAYERS):
                    seen = partial(self._laid_out, isinstance(module, LAYERS[:3]))
                    self._hold(module.register_forward_hook(seen))
                elif is_norm(module) or may_be_norm(module):
                    known = self._watching.setdefault(name, Watching(name, module))
                    before = partial(self._before, known)
                    after = partial(self._after, known)
                    known.hooks = [
                        module.register_forward_pre_hook(before, with_kwargs=True),
                        module.register_forward_hook(after, with_kwargs=True),
                    ]
                    for hook in known.hooks:
                        self._hold(hook)
            self._hold(self.model.register_forward_pre_hook(self._begins, prepend=True))
            self._hold(self.model.register_forward_hook(self._ends, always_call=True))
        except BaseException:
            self._let_go()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._let_go()

    @property
    def run(self) -> Run:
        """What has been seen so far."""
        seen = len(self._calls), sum(kept.count for kept in self._gradients)
        if self._run is None or self._run[0] != seen:
            self._run = seen, self._made()
        return self._run[1]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, worst first."""
        return self.run.findings

    @property
    def norms(self) -> Mapping[str, Seen]:
        """What was seen of each norm, by its module's name, in the order of their first calls."""
        return self.run.norms

    @property
    def inputs(self) -> Mapping[str, list[Tensor]]:
        """What went into each norm, call by call, as far as it was kept."""
        return {known.name: known.inputs for known in self._order if known.inputs}

    def report(self) -> str:
        """Return what was found and seen, as text."""
        return self.run.report()

    def to_frame(self) -> Any:
        """Return a pandas table with a row for each call of a norm."""
        return self.run.to_frame()

    def figure(self, name: str) -> Any:
        """Return a figure of the run: `stream`, `massive`, `gains` or `gradients`.

        Raises:
            ValueError: there is no such figure, or the run has nothing for it.
        """
        return self.run.figure(name)

    def save(self, path: str | Path) -> None:
        """Write the run into a file, which `lnviz.load` reads."""
        self.run.save(path)

    def write_html(self, path: str | Path) -> None:
        """Write the report and the figures into a page of one file, which opens from a disk."""
        self.run.write_html(path)

    def __repr__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        return self.run._repr_html_()

    def _ipython_display_(self) -> None:
        self.run._ipython_display_()

    def _hold(self, hook: RemovableHandle) -> None:
        assert self._open is not None
        self._open.callback(hook.remove)

    def _let_go(self) -> None:
        stack, self._open = self._open, None
        for hooks in self._backward.values():
            for hook in hooks:
                hook.remove()
        self._backward.clear()
        self._unpaired.clear()
        self._last.clear()
        self._given, self._inside = None, False
        if stack is not None:
            stack.close()

    def _begins(self, module: nn.Module, given: Any) -> None:
        if not _recomputes():
            self._inside = True
            self._next_pass()

    def _ends(self, module: nn.Module, given: Any, result: Any) -> None:
        if not _recomputes():
            self._inside = False

    def _next_pass(self) -> None:
        self._pass += 1
        self._met.clear()
        self._last.clear()
        self._layout.clear()
        self._given = None

    def _laid_out(self, convolves: bool, module: nn.Module, given: Any, result: Any) -> None:
        if isinstance(result, Tensor) and not _recomputes():
            self._layout[CHANNELS if convolves else FEATURES] = tuple(result.shape)

    def _before(
        self, known: Watching, module: nn.Module, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """Put a node of its own before the norm: gradients come through it alone."""
        place = _first(args, named)
        if place is None:
            return None
        x = _at(args, named, place)
        if not _recomputes() and self._given is not None and self._given[1] is x:
            self._double.setdefault(known.name, self._given[0])
        if not (torch.is_grad_enabled() and x.requires_grad):
            return None
        if isinstance(place, int):
            return (*args[:place], x.view_as(x), *args[place + 1 :]), named
        return args, {**named, place: x.view_as(x)}

    @torch.no_grad()
    def _after(
        self,
        known: Watching,
        module: nn.Module,
        args: tuple[Any, ...],
        named: dict[str, Any],
        result: Any,
    ) -> None:
        place = _first(args, named)
        x = None if place is None else _at(args, named, place)
        if x is None or not isinstance(result, Tensor) or x.is_meta or not x.numel():
            return
        if _recomputes():
            self._pair(known, x, result)
            return
        if known.facts is None:
            like = self._alike.get((type(module), x.dtype))
            known.facts = recognized(module, x, result, like)
            if known.facts is not None:
                self._alike[type(module), x.dtype] = known.facts
            else:
                known.tries += 1
                if known.tries == TRIES or not x.is_floating_point() or x.shape != result.shape:
                    for hook in known.hooks:
                        hook.remove()
                return
        if not self._inside and known.name in self._met:
            self._next_pass()
        self._met.add(known.name)
        self._take(known, known.facts, x, result)

    def _take(self, known: Watching, facts: Facts, x: Tensor, y: Tensor) -> None:
        """Keep the numbers of a call."""
        if not known.calls:
            self._order.append(known)
            self._note_axis(known, facts, x)
        known.calls += 1
        stream = facts.over == (-1,)
        like = (x.shape, x.dtype, x.device)
        before = self._last.get(like) if stream else None
        numbers = of_call(facts, known.module, x, y, before)
        if stream:
            self._last[like] = x.detach()
        if known.calls & (known.calls - 1) == 0:  # the 1st, 2nd, 4th, 8th call, and so on
            known.details = details(facts, x, y)
        row = len(self._calls)
        self._kept.add(row, torch.cat([numbers, self._gains(known, facts, x.device)]))
        self._calls.append(
            (
                self._order.index(known),
                known.calls,
                self._pass,
                int(known.module.training),
                int(torch.is_inference_mode_enabled() or not y.requires_grad),
                x.shape[0],
                x.numel() // max(1, _groups(facts, x)),
                DTYPES.index(str(x.dtype).removeprefix("torch.")),
            )
        )
        if self._keep == "inputs" and x.nbytes <= self._room:
            self._room -= x.nbytes
            known.inputs.append(x.detach().cpu().clone())
        self._given = known.name, y
        if y.requires_grad:
            self._await(row, x, y)
        elif known.module.training:
            self._unpaired.setdefault(known.name, []).append(row)

    def _gains(self, known: Watching, facts: Facts, device: torch.device) -> Tensor:
        """The numbers of the gains, anew where these have changed."""
        held = gain_of(known.module, facts)
        if held is None:
            return torch.full((len(GAIN),), torch.nan, device=device)
        version, values = held
        if known.gain is None or known.gain[0] != version:
            known.gain = version, of_gain(values)
        return known.gain[1].to(device)

    def _note_axis(self, known: Watching, facts: Facts, x: Tensor) -> None:
        """Note a norm whose axis is not the one that the layer before it has its features on."""
        shape = tuple(x.shape)
        last = facts.over == (-1,)
        if last and x.dim() >= 4 and self._layout.get(CHANNELS) == shape and shape[1] != shape[-1]:
            self._axes[known.name] = CHANNELS
        wrong = facts.kind == "batch" and x.dim() == 3 and self._layout.get(FEATURES) == shape
        if wrong and shape[1] != shape[2] and self._layout.get(CHANNELS) != shape:
            self._axes[known.name] = FEATURES

    def _pair(self, known: Watching, x: Tensor, y: Tensor) -> None:
        """Take the gradients of a call that checkpointing computes a second time."""
        waiting = self._unpaired.get(known.name)
        if waiting and y.requires_grad:
            self._await(waiting.pop(), x, y)

    def _await(self, row: int, x: Tensor, y: Tensor) -> None:
        into, out = self._gradients
        last = into if x.requires_grad else out

        def taken(kept: Kept, gradient: Tensor) -> None:
            if self._open is None:
                return
            if kept is last:  # a handle takes more memory than the numbers of its row
                self._backward.pop(row, None)
            size = torch.linalg.vector_norm(gradient.detach(), dtype=torch.float32)
            kept.add(row, (size / max(1, gradient.numel()) ** 0.5)[None])

        # Hooks of tensors, not of modules: those would forbid a ReLU in place behind the norm.
        self._backward[row] = [
            part.register_hook(partial(taken, kept))
            for part, kept in ((x, into), (y, out))
            if part.requires_grad
        ]

    def _made(self) -> Run:
        return made(
            type(self.model).__name__,
            [
                (known.name, type(known.module).__name__, known.facts, known.details, gains)
                for known in self._order
                if known.facts is not None
                for gains in [
                    (gain_of(known.module, known.facts), bias_of(known.module, known.facts))
                ]
            ],
            self._calls,
            self._kept.table(len(self._calls)),
            torch.cat([kept.table(len(self._calls)) for kept in self._gradients], 1),
            self._double,
            self._axes,
            {known.name: _still(known.module) for known in self._order},
            self._draws,
        )


def _compiled(model: nn.Module) -> bool:
    """Whether anything here may run as compiled code."""
    return "torch._dynamo" in sys.modules or any(
        getattr(module, "_compiled_call_impl", None) is not None for module in model.modules()
    )


def _recomputes() -> bool:
    """Whether a backward pass is under way, in which checkpointing calls modules once more."""
    return bool(torch._C._current_graph_task_id() != -1)


def _first(args: tuple[Any, ...], named: dict[str, Any]) -> int | str | None:
    """Where the first tensor is among what a module is called with."""
    for at, value in enumerate(args):
        if isinstance(value, Tensor):
            return at
    return next((name for name, value in named.items() if isinstance(value, Tensor)), None)


def _at(args: tuple[Any, ...], named: dict[str, Any], place: int | str) -> Tensor:
    value: Tensor = args[place] if isinstance(place, int) else named[place]
    return value


def _groups(facts: Facts, x: Tensor) -> int:
    values = facts.arranged(x)
    shared = {axis % values.dim() for axis in facts.over}
    groups = 1
    for axis, side in enumerate(values.shape):
        groups *= 1 if axis in shared else side
    return groups


def _still(module: nn.Module) -> bool:
    """Whether running statistics are as a fresh module has them."""
    mean, variance = (getattr(module, f"running_{name}", None) for name in ("mean", "var"))
    if mean is None or variance is None:
        return False
    return bool((mean == 0).all() and (variance == 1).all())
