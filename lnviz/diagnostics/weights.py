"""Gains and biases of norms, read from a weight file without building the model."""

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
from lnviz.diagnostics.statistics import NEARLY_OFF
from lnviz.number_format import number

NORM_NAME = re.compile(r"norm|(^|[._])ln(_|\d|[.]|$)|layer_?norm", re.IGNORECASE)
"""Pattern of the tensor names that published models give to norms."""
ENDINGS = (".safetensors", ".gguf")
COLUMNS = ("norm", "numbers", "median", "least", "most", "below 0", "nearly off")


@dataclass(frozen=True, eq=False)
class NormParameter:
    """One gain or bias tensor of a norm in a weight file.

    Attributes:
        name: name of the tensor in the file.
        values: the stored values. Some models add 1 to the stored gains.
    """

    name: str
    values: Float[Tensor, " D"]


def read_norm_parameters(path: Path) -> tuple[NormParameter, ...]:
    """Return the gains and biases of all norms in a weight file, in file order.

    Args:
        path: a `.safetensors` or `.gguf` file. Nothing is unpickled.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file has another format, is damaged, or contains no norm.
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
        parameters = tuple(read(path))
    except ImportError as error:
        raise ValueError("A .gguf file is read with gguf. Install it: pip install gguf") from error
    except (SafetensorError, ValueError, IndexError, KeyError, OverflowError) as error:
        raise ValueError(f"{path.name} is damaged ({error}). Fetch it again.") from error
    if not parameters:
        raise ValueError(
            f"{path.name} has no norm: no tensor of one dimension is called a norm. Name a file of "
            "the whole model."
        )
    return parameters


def weights_text(parameters: Sequence[NormParameter]) -> str:
    """Return a text table of norm parameters, one row per tensor."""
    rows = [COLUMNS, *map(_row, parameters)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(COLUMNS))]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join(lines)


def weights_html(parameters: Sequence[NormParameter]) -> str:
    """Return an HTML table of norm parameters, one row per tensor."""
    return html_table(COLUMNS, map(_row, parameters))


def _row(parameter: NormParameter) -> tuple[str, ...]:
    sizes = parameter.values.abs()
    median = float(sizes.median())
    return (
        parameter.name,
        f"{len(sizes):,}",
        number(median, "g3"),
        number(float(parameter.values.min()), "g3"),
        number(float(parameter.values.max()), "g3"),
        str(int((parameter.values < 0).sum())),
        str(int((sizes < NEARLY_OFF * median).sum())),
    )


def _safetensors(path: Path) -> Iterator[NormParameter]:
    with safe_open(path, framework="pt") as file:
        for name in file.keys():  # noqa: SIM118
            if NORM_NAME.search(name) and len(file.get_slice(name).get_shape()) == 1:
                values = file.get_tensor(name)
                if values.is_floating_point() and values.numel():
                    yield NormParameter(name, values.float())


def _gguf(path: Path) -> Iterator[NormParameter]:
    from gguf import GGUFReader  # only those who have installed a model have it
    from gguf.quants import dequantize

    for tensor in GGUFReader(path).tensors:
        if NORM_NAME.search(tensor.name) and len(tensor.shape) == 1 and tensor.n_elements:
            values = np.array(dequantize(tensor.data, tensor.tensor_type), np.float32)
            yield NormParameter(tensor.name, torch.from_numpy(values).flatten())
