"""The check panel of /gain-bias: runs PyTorch's LayerNorm on the values that the figure shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lnviz.explorable import ParameterError
from lnviz.lessons.gain_bias.line import BIAS, EPS, FIGURE, GAIN, chosen_example
from lnviz.lessons.lesson import ServerCheck
from lnviz.norms.parity import PyTorchDifferences, compare_with_layer_norm
from lnviz.number_format import number


@dataclass(frozen=True)
class FigureState:
    """The example and the slider positions that the gain and bias figure shows."""

    case: int
    gain: float
    bias: float


def check(query: Mapping[str, str]) -> tuple[FigureState, PyTorchDifferences]:
    """Run `nn.LayerNorm` on the values that a URL query sets in the figure; compare the outputs.

    Values that are not allowed are replaced by the nearest allowed ones, as in the figure.
    """
    named = {p.name: query[p.name] for p in FIGURE.parameters if p.name in query}
    while True:
        try:
            values = FIGURE.parse(named)
            x = chosen_example(**values).values
            break
        except ParameterError as error:
            named = named | error.nearest
    state = FigureState(
        case=values["case"],
        gain=GAIN.values[GAIN.parse_index(query.get(GAIN.name, ""))],
        bias=BIAS.values[BIAS.parse_index(query.get(BIAS.name, ""))],
    )
    return state, compare_with_layer_norm(x, gain=state.gain, bias=state.bias, eps=EPS)


def _answer(query: Mapping[str, str]) -> str:
    """Return a Markdown report on how far the figure's outputs are from those of `nn.LayerNorm`.

    At gain 0, there is nothing to compare: every output is the bias, with any variance.
    """
    state, differences = check(query)
    if state.gain == 0:
        return (
            "At gain 0, every output is the bias, whatever the norm computes, so a comparison "
            "would prove nothing. Drag the gain away from 0, and run it again."
        )
    return (
        f"Example {state.case}, gain {number(state.gain, '2')}, bias {number(state.bias, '2')}:\n\n"
        "| variance | largest difference |\n"
        "| --- | --- |\n"
        f"| biased: divided by D, as the figure does | {number(differences.biased, 'g2')} |\n"
        f"| unbiased: divided by D - 1 | {number(differences.unbiased, 'g2')} |\n\n"
        "`nn.LayerNorm` divides by D. `torch.var` divides by D - 1 unless told otherwise: the "
        "usual reason why a hand-written LayerNorm disagrees."
    )


CHECK = ServerCheck(
    "Check it against PyTorch",
    "This runs `torch.nn.LayerNorm` on the server, with the example, the gain and the bias of the "
    "second figure, and compares every output with the figure’s.",
    "Run nn.LayerNorm on these numbers",
    _answer,
)
