"""Rules that find problems in a run, each with a threshold and the reason for it.

The thresholds separate healthy from faulty models. The healthy models are: a small convolutional
network with BatchNorm; Transformers of 3 to 24 layers, Pre-LN and Post-LN, untrained and trained;
MiniLM and SmolLM2 as published; and untrained models of `transformers` (Llama, Gemma, T5, BERT,
GPT-2, Qwen3, ViT, ResNet, ConvNeXt) of width 8 to 32. The faulty models are in
`tests/diagnostics/test_rules.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from lnviz.diagnostics.findings import NOTE, WARNING, Finding
from lnviz.diagnostics.rules.match import Match, Norms
from lnviz.diagnostics.rules.parameters import check_convention, check_gains, check_weight_decay
from lnviz.diagnostics.rules.structure import check_axis, check_double_norm, check_padding
from lnviz.diagnostics.rules.training import (
    check_batch_size,
    check_frozen,
    check_gradients,
    check_mode,
    check_residual_stream,
    check_running_statistics,
    check_tracking,
)
from lnviz.diagnostics.rules.values import (
    check_constant_inputs,
    check_dominant_component,
    check_dtype,
    check_epsilon,
    check_mean,
    check_nonfinite_output,
    check_overflow,
    check_sign,
    check_underflow,
)

Rule = Callable[[Norms], Iterator[Match]]
RULES: dict[str, Rule] = {
    "nan": check_nonfinite_output,
    "epsilon": check_epsilon,
    "overflow": check_overflow,
    "underflow": check_underflow,
    "constant": check_constant_inputs,
    "sign": check_sign,
    "component": check_dominant_component,
    "gain": check_gains,
    "gradient": check_gradients,
    "stream": check_residual_stream,
    "batch": check_batch_size,
    "running": check_running_statistics,
    "mode": check_mode,
    "frozen": check_frozen,
    "tracking": check_tracking,
    "axis": check_axis,
    "padding": check_padding,
    "decay": check_weight_decay,
    "convention": check_convention,
    "double": check_double_norm,
    "dtype": check_dtype,
    "mean": check_mean,
}
"""The rules by the kind of their findings."""
MIN_PASSES, LATE_FRACTION = 8, 4
"""Minimum number of passes of a long run, and the part of it, its last quarter, that is judged on
its own: medians over all passes hide a fault that begins late.
"""


def check_kinds(kinds: str | Iterable[str]) -> frozenset[str]:
    """Return kinds of findings as a set; a string is a single kind.

    Raises:
        ValueError: there is no rule for one of them.
    """
    given = frozenset([kinds] if isinstance(kinds, str) else kinds)
    if unknown := sorted(given - set(RULES)):
        raise ValueError(
            f"No kind of finding is called {unknown[0]!r}. Choose from {', '.join(RULES)}."
        )
    return given


def find_problems(norms: Norms) -> tuple[Finding, ...]:
    """Apply all rules to a run's norms, and return the worst finding of each type, worst first.

    The rules are applied to the whole run, and to the last quarter of a long one.

    Args:
        norms: statistics of the norms, in the order of their first calls.
    """
    found = {kind: merge_findings(apply_rule(kind, norms)) for kind in RULES}
    passes = sorted({int(each) for norm in norms for each in norm.calls["pass"]})
    if len(passes) >= MIN_PASSES:
        begin = passes[-(len(passes) // LATE_FRACTION)]
        late = [part for norm in norms if (part := norm.since(begin)) is not None]
        for kind in [kind for kind, finding in found.items() if finding is None]:
            finding = merge_findings(apply_rule(kind, late))
            if finding is not None:
                reason = f"Since pass {begin}: {finding.reason}"
                found[kind] = replace(finding, reason=reason)
    return tuple(
        sorted(
            (finding for finding in found.values() if finding is not None),
            key=lambda finding: (finding.level == NOTE, -finding.severity),
        )
    )


def apply_rule(kind: str, norms: Norms) -> list[Finding]:
    """Return all findings of one kind in a run's norms, in the order of the norms."""
    return [match.finding(kind) for match in RULES[kind](norms)]


def merge_findings(findings: Sequence[Finding]) -> Finding | None:
    """Merge findings of one type into the worst of them, which then lists all their modules."""
    if not findings:
        return None
    worst = max(findings, key=lambda finding: (finding.level == WARNING, finding.severity))
    names = dict.fromkeys(finding.module for finding in findings if finding.module != worst.module)
    return worst.with_modules(tuple(names))
