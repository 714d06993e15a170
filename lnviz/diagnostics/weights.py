"""Gains, biases and running statistics of norms in a weight file, and what is wrong with them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Float
from safetensors import SafetensorError, safe_open
from torch import Tensor

from lnviz.diagnostics.report import html_table, text_table
from lnviz.diagnostics.statistics import NEARLY_OFF
from lnviz.number_format import number

NORM_NAME = re.compile(r"norm|(^|[._])ln(_|\d|[.]|$)|layer_?norm", re.IGNORECASE)
"""Pattern of the tensor names that published models give to norms."""
ENDINGS = (".safetensors", ".gguf")
INDEX_ENDING = ".safetensors.index.json"
COLUMNS = ("norm", "values", "median", "least", "most", "below 0", "nearly off", "verdict")

GAIN, BIAS = "gain", "bias"
RUNNING_MEAN, RUNNING_VARIANCE = "running mean", "running variance"
_RUNNING: Final = {"running_mean": RUNNING_MEAN, "running_var": RUNNING_VARIANCE}
_BIAS_NAMES: Final = ("bias", "beta", "b")

PLAIN, SHIFTED, UNKNOWN = "w", "1 + w", "unknown"
"""How a file stores gains: as the factor itself, or as its distance from 1."""

MIN_BELOW_0: Final = 0.2
"""Minimum fraction of stored values below 0, in the median gain of a model that adds 1 to them."""
MAX_CENTER: Final = 0.5
"""Maximum size of the median stored value, in the median gain of a model that adds 1 to them."""
COLLAPSED: Final = 1e-3
"""Maximum median size of the factors of a norm that lets nothing through."""
FAR: Final = 10.0
"""Ratio to the median of the model's norms from which a norm is far from the others."""
TINY_VARIANCE: Final = 1e-10
"""Variance of a channel that never changes."""


@dataclass(frozen=True, eq=False)
class NormParameter:
    """One tensor of a norm in a weight file.

    Attributes:
        name: name of the tensor in the file.
        values: the stored values. Some models add 1 to the stored gains.
    """

    name: str
    values: Float[Tensor, " D"]

    @property
    def role(self) -> str:
        """`GAIN`, `BIAS`, `RUNNING_MEAN` or `RUNNING_VARIANCE`, from the end of the name."""
        last = self.name.rpartition(".")[2].lower()
        if last in _RUNNING:
            return _RUNNING[last]
        return BIAS if last.rpartition("_")[2] in _BIAS_NAMES else GAIN

    @property
    def finite(self) -> Float[Tensor, " D"]:
        """The values that are neither NaN nor infinite."""
        return self.values[self.values.isfinite()]


def read_norm_parameters(path: Path) -> tuple[NormParameter, ...]:
    """Return the gains, biases and running statistics of all norms in a weight file, in file order.

    A vector belongs to a norm if its name says so, or if running statistics stand beside it.

    Args:
        path: a `.safetensors` or `.gguf` file, or the index of a model in several files
            (`model.safetensors.index.json`). Nothing is unpickled.

    Raises:
        FileNotFoundError: the file, or one that the index lists, does not exist.
        ValueError: the file has another format, is damaged, or contains no norm.
    """
    read: Callable[[Path], Iterator[NormParameter]]
    if path.name.endswith(INDEX_ENDING):
        read = _sharded
    elif path.suffix in ENDINGS:
        read = _safetensors if path.suffix == ".safetensors" else _gguf
    else:
        raise ValueError(
            f"{path.name} must have the extension .safetensors, {INDEX_ENDING} or .gguf. Save the "
            "weights with safetensors.torch.save_file. Pickled files (.pt, .bin) are never "
            "opened, because opening one can run code."
        )
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        parameters = tuple(read(path))
    except ImportError as error:
        raise ValueError(
            "Reading a .gguf file needs the package gguf. Install it: pip install gguf"
        ) from error
    except (
        SafetensorError,
        ValueError,
        IndexError,
        KeyError,
        OverflowError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        raise ValueError(f"{path.name} is damaged ({error}). Download it again.") from error
    if not parameters:
        raise ValueError(
            f"{path.name} has no norm: no vector has a norm's name, or running statistics next to "
            "it. Choose a file that has the whole model."
        )
    return parameters


def gain_convention(parameters: Sequence[NormParameter]) -> str:
    """Return how a file stores gains: `PLAIN` (w), `SHIFTED` (1 + w) or `UNKNOWN`.

    Stored as the factor itself, gains are around 1 or a common size, nearly all above 0; stored as
    the distance from 1, they are around 0, of both signs.

    >>> gain_convention([NormParameter("norm.weight", torch.tensor([0.1, -0.2, 0.05, -0.1]))])
    '1 + w'
    """
    gains = [one.finite for one in parameters if one.role == GAIN and len(one.finite)]
    gains = [values for values in gains if (values != 0).any()]
    if not gains:
        return UNKNOWN
    below = torch.tensor([float((values < 0).float().mean()) for values in gains])
    center = torch.tensor([float(values.median()) for values in gains])
    is_shifted = below.median() >= MIN_BELOW_0 and center.abs().median() <= MAX_CENTER
    return SHIFTED if is_shifted else PLAIN


def verdicts(parameters: Sequence[NormParameter]) -> Mapping[str, tuple[str, ...]]:
    """Return what is wrong or unusual about each tensor in a file, keyed by tensor name."""
    convention = gain_convention(parameters)
    shift = 1.0 if convention == SHIFTED else 0.0
    medians = {
        one.name: float((one.finite + shift).abs().median())
        for one in parameters
        if one.role == GAIN and len(one.finite)
    }
    usual = float(torch.tensor(list(medians.values())).median()) if medians else 0.0
    return {
        one.name: tuple(_verdicts(one, shift, medians.get(one.name), usual)) for one in parameters
    }


def _verdicts(
    parameter: NormParameter, shift: float, median: float | None, usual: float
) -> Iterator[str]:
    values, finite = parameter.values, parameter.finite
    if nan := int(values.isnan().sum()):
        yield f"{nan:,} of {len(values):,} NaN"
    if infinite := int(values.isinf().sum()):
        yield f"{infinite:,} of {len(values):,} infinite"
    if not len(finite):
        return
    if parameter.role == RUNNING_VARIANCE:
        if bool((values == 1).all()):
            yield "all 1, as before training"
        elif below := int((finite < 0).sum()):
            yield f"{below:,} of {len(values):,} below 0: no variances"
        elif tiny := int((finite < TINY_VARIANCE).sum()):
            yield f"{tiny:,} of {len(values):,} channels never change"
    if parameter.role == RUNNING_MEAN and bool((values == 0).all()):
        yield "all 0, as before training"
    if median is None:
        return
    if not shift and bool((finite == 0).all()):
        yield "all 0: nothing passes, unless the model computes 1 + w"
    elif median < COLLAPSED:
        yield f"collapsed: the median factor is {number(median, 'g2')}"
    elif median > FAR * usual:
        yield f"{number(median / usual, 'g2')} times the median of the model's norms"
    elif median < usual / FAR:
        yield f"{number(usual / median, 'g2')} times below the median of the model's norms"


def weights_text(parameters: Sequence[NormParameter]) -> str:
    """Return the convention of the gains, and a text table with one row per norm parameter."""
    lines = text_table([COLUMNS, *_rows(parameters)])
    return "\n".join([_describe_convention(parameters), "", *lines])


def weights_html(parameters: Sequence[NormParameter]) -> str:
    """Return the convention of the gains, and an HTML table with one row per norm parameter."""
    return f"<p>{_describe_convention(parameters)}</p>{html_table(COLUMNS, _rows(parameters))}"


def weights_json(parameters: Sequence[NormParameter]) -> str:
    """Return statistics and verdicts of all norm parameters as JSON."""
    found = verdicts(parameters)
    document = {
        "gains_stored_as": gain_convention(parameters),
        "tensors": [
            {
                "name": one.name,
                "role": one.role,
                **{key: _finite_or_none(value) for key, value in _statistics(one).items()},
                "verdicts": list(found[one.name]),
            }
            for one in parameters
        ],
    }
    return json.dumps(document, indent=1)


def _finite_or_none(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _describe_convention(parameters: Sequence[NormParameter]) -> str:
    return {
        PLAIN: "Gains are stored as the factor itself (w).",
        SHIFTED: "Gains are stored as their distance from 1: they are around 0, of both signs, so "
        "the model multiplies by 1 + w.",
        UNKNOWN: "The file does not show how gains are stored, since all of them are 0.",
    }[gain_convention(parameters)]


def _statistics(parameter: NormParameter) -> dict[str, Any]:
    """Return the statistics of a tensor's finite values; NaN if no value is finite."""
    values = parameter.finite if len(parameter.finite) else torch.tensor([torch.nan])
    sizes = values.abs()
    median = float(sizes.median())
    return {
        "values": len(parameter.values),
        "median": median,
        "least": float(values.min()),
        "most": float(values.max()),
        "below_0": int((values < 0).sum()),
        "nearly_off": int((sizes < NEARLY_OFF * median).sum()),
        "not_finite": int((~parameter.values.isfinite()).sum()),
    }


def _rows(parameters: Sequence[NormParameter]) -> list[tuple[str, ...]]:
    found = verdicts(parameters)
    rows = []
    for one in parameters:
        held = _statistics(one)
        rows.append(
            (
                one.name,
                f"{held['values']:,}",
                *(number(held[key], "g3") for key in ("median", "least", "most")),
                str(held["below_0"]),
                str(held["nearly_off"]),
                "; ".join(found[one.name]),
            )
        )
    return rows


def _sharded(path: Path) -> Iterator[NormParameter]:
    """Read the norm parameters from the shards that an index file lists, in the same folder."""
    weight_map = json.loads(path.read_text(encoding="utf-8"))["weight_map"]
    for name in dict.fromkeys(weight_map.values()):
        if Path(name).name != name:
            raise ValueError(f"it lists a file in another folder, {name}")
    paths = [path.parent / name for name in dict.fromkeys(weight_map.values())]
    missing = [shard.name for shard in paths if not shard.is_file()]
    if missing:
        raise ValueError(f"it lists {missing[0]}, which is missing")
    yield from _safetensors(*paths)


def _is_norm(name: str, names: frozenset[str]) -> bool:
    stem = name.rpartition(".")[0]
    return bool(NORM_NAME.search(name)) or f"{stem}.running_mean" in names


def _safetensors(*paths: Path) -> Iterator[NormParameter]:
    with ExitStack() as stack:
        files = [stack.enter_context(safe_open(path, framework="pt")) for path in paths]
        names = frozenset(name for file in files for name in file.keys())  # noqa: SIM118
        for file in files:
            for name in file.keys():  # noqa: SIM118
                if _is_norm(name, names) and len(file.get_slice(name).get_shape()) == 1:
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
