"""How long `lnviz.normalize` takes, beside PyTorch's own functions and a plain copy.

Every call of a row runs in turn within one round, each round in another order. A time is the
shortest of the rounds, since what else the machine does only adds to it, and a ratio is that of two
such times.

    python -m benchmarks.norms --sizes 64x256 4096x4096 --seconds 4
"""

import argparse
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from benchmarks.harness import machine, settle_allocator
from lnviz import normalize

SIZES = ["16x8", "64x256", "1000x50", "4096x4096"]
Call = Callable[[], object]


def cases(x: Tensor) -> dict[str, tuple[Call, dict[str, Call]]]:
    """Return for each norm our call and those of PyTorch, by name."""
    d = x.shape[-1]
    gain, bias = torch.rand(2, d, device=x.device)
    copy: dict[str, Call] = {"copy": x.clone}
    return {
        "LayerNorm": (
            lambda: normalize(x, -1),
            {
                "F.layer_norm": lambda: F.layer_norm(x, (d,)),
                "F.layer_norm, gain and bias": lambda: F.layer_norm(x, (d,), gain, bias),
            }
            | copy,
        ),
        "LayerNorm, gain and bias": (
            lambda: normalize(x, -1, gain=gain, bias=bias),
            {"F.layer_norm, gain and bias": lambda: F.layer_norm(x, (d,), gain, bias)} | copy,
        ),
        "RMSNorm": (
            lambda: normalize(x, -1, center=False),
            {
                "F.rms_norm": lambda: F.rms_norm(x, (d,), eps=1e-5),
                "F.layer_norm": lambda: F.layer_norm(x, (d,)),
            }
            | copy,
        ),
        "BatchNorm": (
            lambda: normalize(x, 0),
            {"F.batch_norm": lambda: F.batch_norm(x, None, None, training=True)} | copy,
        ),
    }


def measured(calls: dict[str, Call], seconds: float, wait: Call) -> dict[str, float]:
    """Return the fewest seconds that a call of each took, in so many seconds for all."""
    names = list(calls)
    fewest = dict.fromkeys(names, float("inf"))
    repeats = repeats_for(calls[names[0]], wait)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        names = [*names[1:], names[0]]
        for name in names:
            call = calls[name]
            call()
            wait()
            begin = time.perf_counter()
            for _ in range(repeats):
                call()
            wait()
            fewest[name] = min(fewest[name], (time.perf_counter() - begin) / repeats)
    return fewest


def repeats_for(call: Call, wait: Call, least: float = 0.0002) -> int:
    """Return how often to repeat a call so that the clock's grain does not count."""
    repeats = 1
    while True:
        begin = time.perf_counter()
        for _ in range(repeats):
            call()
        wait()
        if time.perf_counter() - begin >= least:
            return repeats
        repeats *= 2


def rows(size: str, device: str, seconds: float) -> list[str]:
    """Return the table's rows for one size."""
    n, d = (int(side) for side in size.split("x"))
    x = torch.randn(n, d, device=device)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    lines = []
    for norm, (ours, theirs) in cases(x).items():
        fewest = measured({"normalize": ours} | theirs, seconds, wait)
        own = fewest["normalize"]
        for name in theirs:
            times = f"{own * 1e6:.0f} | {fewest[name] * 1e6:.0f} | {own / fewest[name]:.2f}"
            lines.append(f"| {device} | {n} x {d} | {norm} | {name} | {times} |")
    return lines


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", nargs="+", default=SIZES, metavar="NxD")
    parser.add_argument("--seconds", type=float, default=4, help="for each norm and size")
    arguments = parser.parse_args()
    settle_allocator()
    print(machine(), end="\n\n")
    print("| device | cases x units | normalize | beside | our µs | its µs | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with torch.inference_mode():
        for device in ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]:
            for size in arguments.sizes:
                print(*rows(size, device, arguments.seconds), sep="\n", flush=True)


if __name__ == "__main__":
    main()
