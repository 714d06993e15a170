"""How long the whole table of invariances takes at once, entry by entry, and layer by layer.

The three ways run in turn within one round and are held to the same numbers. Times are medians
over the rounds, ratios the medians of the ratios within one round.

    python -m benchmarks.invariance --layers 64 --rounds 5
"""

import argparse
import time
from collections.abc import Callable
from statistics import median

import torch

from lnviz.device import device
from lnviz.topics.invariance import STRENGTHS, TRANSFORMATIONS, RandomData, largest_change, measure
from lnviz.topics.invariance.layers import Layers, draw_layers
from lnviz.topics.invariance.measured import UNITS

DTYPE = torch.float64
Table = dict[str, dict[str, float]]


def entry_by_entry(layers: int) -> Table:
    norms = measure(layers=1).norms
    return {
        norm: {t: measure([norm], [t], layers=layers).change(norm, t) for t in TRANSFORMATIONS}
        for norm in norms
    }


def layer_by_layer(layers: int) -> Table:
    """Evaluate one layer at one strength at a time."""
    drawn = draw_layers(layers, UNITS, RandomData(), seed=0).to(device(), DTYPE)
    norms = measure(layers=1).norms
    table: Table = {norm: dict.fromkeys(TRANSFORMATIONS, 0.0) for norm in norms}
    for index in range(layers):
        one = Layers(*(part[index] for part in vars(drawn).values()))
        for norm in norms:
            before = one.outputs([norm], 0.0, "identity")[norm].values
            for name in TRANSFORMATIONS:
                for strength in STRENGTHS:
                    at = torch.tensor([strength], dtype=DTYPE, device=device())
                    after = one.transformed(name, at).outputs([norm], 0.0, "identity")[norm]
                    change = float(largest_change(before, after.values))
                    table[norm][name] = max(table[norm][name], change)
    return table


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()

    whole = measure(layers=given.layers)
    for other in (entry_by_entry(given.layers), layer_by_layer(given.layers)):
        for norm, row in whole.table().items():
            for name, change in row.items():
                assert abs(other[norm][name] - change) <= 1e-9 * max(1.0, change), (norm, name)

    entries = len(whole.norms) * len(whole.transformations)
    calls: dict[str, Callable[[], object]] = {
        "whole table at once": lambda: measure(layers=given.layers),
        f"entry by entry ({entries} calls)": lambda: entry_by_entry(given.layers),
        f"layer by layer ({entries * len(STRENGTHS) * given.layers} evaluations)": (
            lambda: layer_by_layer(given.layers)
        ),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(given.rounds):
        for name, call in calls.items():
            times[name].append(seconds(call))
    first = times["whole table at once"]
    print(
        f"{len(whole.norms)} norms, {len(whole.transformations)} transformations, "
        f"{given.layers} layers, {len(STRENGTHS)} strengths, {DTYPE}, {device()}, "
        f"{torch.get_num_threads()} threads"
    )
    for name, taken in times.items():
        ratio = median(t / f for t, f in zip(taken, first, strict=True))
        print(f"{name:<40}{1000 * median(taken):10.1f} ms{ratio:10.1f} x")


if __name__ == "__main__":
    main()
