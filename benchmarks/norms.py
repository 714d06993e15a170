"""How long `lnviz.normalize` takes, beside PyTorch's own functions and a plain copy.

Every call of a row runs in turn within one round, each round in another order, so that what else
the machine does falls on all of them alike. A time is the median over the rounds, a ratio the
median over the rounds of the times in one round.

    python -m benchmarks.norms --sizes 64x256 4096x4096 --rounds 15
"""

import argparse
import platform
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch
import torch.nn.functional as F
from torch import Tensor

from lnviz.norms import normalize

SIZES = ["4x6", "16x64", "64x256", "256x1024", "1024x1024", "4096x4096"]
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


def measured(calls: dict[str, Call], rounds: int, wait: Call) -> dict[str, list[float]]:
    """Return the seconds a call of each took, round by round."""
    names = list(calls)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    repeats = repeats_for(calls[names[0]], wait)
    for turn in range(rounds):
        start = turn % len(names)
        for name in names[start:] + names[:start]:
            call = calls[name]
            call()
            wait()
            begin = time.perf_counter()
            for _ in range(repeats):
                call()
            wait()
            seconds[name].append((time.perf_counter() - begin) / repeats)
    return seconds


def repeats_for(call: Call, wait: Call, least: float = 0.002) -> int:
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


def rows(size: str, device: str, rounds: int) -> list[str]:
    """Return the table's rows for one size."""
    n, d = (int(side) for side in size.split("x"))
    x = torch.randn(n, d, device=device)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    lines = []
    for norm, (ours, theirs) in cases(x).items():
        seconds = measured({"normalize": ours} | theirs, rounds, wait)
        own = seconds["normalize"]
        for name in theirs:
            ratio = median(a / b for a, b in zip(own, seconds[name], strict=True))
            times = f"{median(own) * 1e6:.0f} | {median(seconds[name]) * 1e6:.0f}"
            lines.append(f"| {device} | {n} x {d} | {norm} | {name} | {times} | {ratio:.2f} |")
    return lines


def settle_allocator() -> None:
    """Free one large tensor, after which glibc keeps the memory of smaller ones for the next.

    Before, it hands a freed megabyte back to the system and faults it in again, which costs more
    than all that is measured here. A process that has worked for a while is past that.
    """
    torch.ones(7 * 2**20)


def machine() -> str:
    """Return in words what the numbers were measured on."""
    cpuinfo = Path("/proc/cpuinfo")
    models = [
        line.split(":")[1].strip()
        for line in (cpuinfo.read_text() if cpuinfo.exists() else "").splitlines()
        if line.startswith("model name")
    ]
    parts = [models[0] if models else platform.processor(), f"{torch.get_num_threads()} threads"]
    if torch.cuda.is_available():
        parts.append(torch.cuda.get_device_name())
    return ", ".join([*parts, f"PyTorch {torch.__version__}", "float32"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", nargs="+", default=SIZES, metavar="NxD")
    parser.add_argument("--rounds", type=int, default=21)
    arguments = parser.parse_args()
    settle_allocator()
    print(machine(), end="\n\n")
    print("| device | cases x units | normalize | beside | our µs | its µs | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with torch.inference_mode():
        for device in ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]:
            for size in arguments.sizes:
                print(*rows(size, device, arguments.rounds), sep="\n", flush=True)


if __name__ == "__main__":
    main()
