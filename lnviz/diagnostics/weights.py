"""Gains and biases of all norms in a file of weights, without running anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from safetensors import SafetensorError, safe_open
from torch import Tensor

from lnviz.diagnostics.report import html_table
from lnviz.diagnostics.statistics import NEARLY
from lnviz.number_format import number

NAMED = re.compile(r"norm|(^|[._])ln(_|\d|[.]|$)|layer_?norm", re.IGNORECASE)
"""Names that norms have in published models."""
ENDINGS = (".safetensors", ".gguf")
HEAD = ("norm", "numbers", "median", "least", "most", "below 0", "nearly off")


@dataclass(frozen=True, eq=False)
class Learned:
    """A norm's gains, or its biases.

    Attributes:
        name: of the tensor in the file.
        values: its numbers, as they are stored: a model may add 1 to its gains.
    """

    name: str
    values: Float[Tensor, " D"]


def learned(path: Path) -> tuple[Learned, ...]:
    """Return the gains and biases of the norms in a file, in the file's order.

    Args:
        path: a `.safetensors` or `.gguf` file. Nothing is unpickled.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is another file, damaged, or holds no norm; the message says what to do.
    """
    if path.suffix not in ENDINGS:
        raise ValueError(
            f"{path.name} ends neither in .safetensors nor in .gguf. Save the weights with "
            "safetensors.torch.save_file; files that are pickled (.pt, .bin) are not opened."
        )
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    read = _safetensors if path.suffix == ".safetensors" else _gguf
    try:
        found = tuple(read(path))
    except ImportError as error:
        raise ValueError("A .gguf file is read with gguf. Install it: pip install gguf") from error
    except (SafetensorError, ValueError, IndexError, KeyError, OverflowError) as error:
        raise ValueError(f"{path.name} is damaged ({error}). Fetch it again.") from error
    if not found:
        raise ValueError(
            f"{path.name} has no norm: no tensor of one dimension is called a norm. Name a file of "
            "the whole model."
        )
    return found


def table(found: Sequence[Learned]) -> str:
    """Return gains and biases as a table of text, a line each."""
    rows = [HEAD, *map(_row, found)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(HEAD))]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join(lines)


def marked_up(found: Sequence[Learned]) -> str:
    """Return the same table as HTML."""
    return html_table(HEAD, map(_row, found))


def _row(one: Learned) -> tuple[str, ...]:
    sizes = one.values.abs()
    median = float(sizes.median())
    return (
        one.name,
        f"{len(sizes):,}",
        number(median, "g3"),
        number(float(one.values.min()), "g3"),
        number(float(one.values.max()), "g3"),
        str(int((one.values < 0).sum())),
        str(int((sizes < NEARLY * median).sum())),
    )


def _safetensors(path: Path) -> Iterator[Learned]:
    with safe_open(path, framework="pt") as file:
        for name in file.keys():  # noqa: SIM118
            if NAMED.search(name) and len(file.get_slice(name).get_shape()) == 1:
                values = file.get_tensor(name)
                if values.is_floating_point() and values.numel():
                    yield Learned(name, values.float())


def _gguf(path: Path) -> Iterator[Learned]:
    from gguf import GGUFReader  # only those who have installed a model have it
    from gguf.quants import dequantize

    for tensor in GGUFReader(path).tensors:
        if NAMED.search(tensor.name) and len(tensor.shape) == 1 and tensor.n_elements:
            values = np.array(dequantize(tensor.data, tensor.tensor_type), np.float32)
            yield Learned(tensor.name, torch.from_numpy(values).flatten())
