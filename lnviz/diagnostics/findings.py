"""Findings of the norm debugger: affected modules, severity, measured value, reason and remedy."""

from __future__ import annotations

from dataclasses import dataclass, replace

WARNING, NOTE = "warning", "note"
SURE, LIKELY = "certain", "likely"

FIGURES = {
    "epsilon": "/inside#figure-swap",
    "overflow": "/inside#figure-massive",
    "nan": "/practice#figure-squares",
    "underflow": "/practice#figure-squares",
    "constant": "/axes#figure-grid",
    "sign": "/axes#figure-grid",
    "component": "/inside#figure-massive",
    "gain": "/inside#figure-gains",
    "gradient": "/placement#figure-layers",
    "stream": "/inside#figure-stream",
    "batch": "/batch#figure-scatter",
    "running": "/batch#figure-running",
    "mode": "/batch#figure-running",
    "frozen": "/batch#figure-running",
    "tracking": "/batch#figure-running",
    "axis": "/axes#figure-grid",
    "padding": "/batch#figure-padding",
    "decay": "/inside#figure-gains",
    "convention": "/inside#figure-gains",
    "double": "/placement#figure-blocks",
    "dtype": "/practice#figure-squares",
    "mean": "/rmsnorm#figure-means",
}
"""Address of the figure that explains each kind of finding."""
SYMPTOMS = {
    "epsilon": "porting-weights-1-w-order-of-casts-epsilon",
    "overflow": "na-n-or-inf-in-half-precision",
    "nan": "na-n-or-inf-in-half-precision",
    "underflow": "na-n-or-inf-in-half-precision",
    "constant": "a-batch-of-1-or-2-per-device",
    "sign": "two-values-in-a-group",
    "component": "quantization-and-outliers",
    "gain": "weight-decay-on-gains-and-biases",
    "gradient": "my-post-ln-model-diverges",
    "stream": "loss-spikes-late-in-training",
    "batch": "a-batch-of-1-or-2-per-device",
    "running": "training-and-evaluation-differ",
    "mode": "training-and-evaluation-differ",
    "frozen": "frozen-batch-norm",
    "tracking": "training-and-evaluation-differ",
    "axis": "statistics-over-the-wrong-axis",
    "padding": "padding-changes-the-result",
    "decay": "weight-decay-on-gains-and-biases",
    "convention": "porting-weights-1-w-order-of-casts-epsilon",
    "double": "which-norm-for-a-new-model",
    "dtype": "float32-beside-bfloat16",
    "mean": "swapping-layer-norm-for-rms-norm-after-training",
}
"""Anchor of the symptom on the page /practice for each kind of finding."""


@dataclass(frozen=True)
class Finding:
    """A problem or an unusual property that the norm debugger found in one or more norms.

    Attributes:
        module: name of the norm's module.
        kind: key of the rule, as in `FIGURES`.
        level: `warning`, or `note` for a harmless peculiarity.
        value: the measured value that triggered the rule.
        reason: the observation, in one sentence.
        remedy: the suggested remedy, in one sentence.
        certainty: `certain` if the finding follows from the computation, `likely` if other causes
            are possible but rare.
        severity: rank among the findings, higher is worse.
        other_modules: names of other modules with the same finding.

    >>> str(Finding("norm", "epsilon", WARNING, 0.9, "Epsilon is 90% of it.", "Lower it.", SURE))
    'epsilon at "norm" (warning, certain): Epsilon is 90% of it. Lower it.'
    """

    module: str
    kind: str
    level: str
    value: float
    reason: str
    remedy: str
    certainty: str
    severity: float = 0.0
    other_modules: tuple[str, ...] = ()

    @property
    def figure(self) -> str:
        """The URL path, within the app, of the figure that explains this type of finding."""
        return FIGURES[self.kind]

    @property
    def symptom(self) -> str:
        """The URL path, within the app, of the symptom page that says what to do."""
        return f"/practice#{SYMPTOMS[self.kind]}"

    def with_modules(self, modules: tuple[str, ...]) -> Finding:
        """Return a copy of this finding that also lists other modules with the same problem."""
        return replace(self, other_modules=modules)

    def __str__(self) -> str:
        count = len(self.other_modules)
        others = f" and {count} other norms" if count > 1 else " and one other norm" * count
        place = f'"{self.module}"{others}' if self.module else f"the model itself{others}"
        return (
            f"{self.kind} at {place} ({self.level}, {self.certainty}): {self.reason} {self.remedy}"
        )


class NormFaultError(RuntimeError):
    """Error that stops a training run because of a finding.

    Args:
        finding: the finding.
    """

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding
