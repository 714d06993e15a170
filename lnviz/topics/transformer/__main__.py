"""Measures gradients by depth before training: `python -m lnviz.topics.transformer`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from lnviz.topics.transformer.experiment import SETUPS, Experiment
from lnviz.topics.transformer.placements import PLACEMENTS
from lnviz.topics.transformer.theory import Gradients, last_layer

DEFAULT = Experiment()


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the norms as a table, or as JSON with `--json`.

    Args:
        arguments: of the command line, by default those of this process.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        experiment = Experiment(
            setup=given.setup,
            width=given.width,
            cases=given.cases,
            classes=given.classes,
            seeds=tuple(range(given.seeds)),
            heads=given.heads,
        )
        found = last_layer(given.placements, given.layers, experiment)
    except ValueError as error:
        parser.error(str(error))
    table = {key: _by_depth(gradients) for key, gradients in found.items()}
    if given.json:
        print(json.dumps(table))
        return
    print(
        "Frobenius norm of the gradient of the last block's second feed-forward matrix, mean over "
        f"{given.seeds} seeds (least, largest)."
    )
    for key, by_depth in table.items():
        print(f"\n{PLACEMENTS[key].label}")
        for depth, norm in by_depth.items():
            print(f"{depth:>5} layers  {norm['mean']:.3f}  ({norm['low']:.3f}, {norm['high']:.3f})")


def _by_depth(gradients: Gradients) -> dict[str, dict[str, float]]:
    rows = zip(gradients.layers, gradients.mean, gradients.low, gradients.high, strict=True)
    return {
        str(depth): {"mean": mean.item(), "low": low.item(), "high": high.item()}
        for depth, mean, low, high in rows
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lnviz.topics.transformer",
        description="Measure the gradient of the last block's second feed-forward matrix before "
        "training, by the number of layers and the placement of the norms.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument(
        "--json", action="store_true", help="print {placement: {layers: {mean, low, high}}}"
    )
    parser.add_argument(
        "--placements",
        nargs="+",
        default=["post", "pre"],
        metavar="KEY",
        help=", ".join(PLACEMENTS),
    )
    parser.add_argument("--layers", nargs="+", type=int, default=[6, 12, 24], metavar="L")
    parser.add_argument("--width", type=int, default=DEFAULT.width)
    parser.add_argument("--cases", type=int, default=DEFAULT.cases, help="positions that go in")
    parser.add_argument("--classes", type=int, default=DEFAULT.classes, help="of random targets")
    parser.add_argument("--seeds", type=int, default=len(DEFAULT.seeds), help="how many networks")
    parser.add_argument("--setup", default=DEFAULT.setup, help=", ".join(SETUPS))
    parser.add_argument("--heads", type=int, help="of the attention; None is the setup's own")
    return parser


if __name__ == "__main__":
    main()
