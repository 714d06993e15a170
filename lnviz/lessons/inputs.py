"""Where a lesson's numbers come from: the example inputs, and what visitors have uploaded."""

from __future__ import annotations

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import LARGEST_SEED, Cases, digits, worked_example
from lnviz.data.uploads import Store
from lnviz.device import device
from lnviz.explorable import Gone, Option, Pick, Whole

UPLOADS = Store()
PREFIX = "upload."

DATA = Pick(
    name="data",
    label="Data",
    options=(Option("worked", "worked example"), Option("digits", "handwritten digits")),
    start="worked",
    prefix=PREFIX,
    prefix_label="your file",
)
SEED = Whole("seed", "Seed", 0, LARGEST_SEED, 0, fresh="New weights", when={"data": ("digits",)})


def cases(data: str, seed: int, *, units: int) -> Cases:
    """The cases a `data` parameter names, on the device where figures are computed.

    Raises:
        Gone: The upload is no longer kept.
    """
    if data == "worked":
        return _placed(worked_example())
    if data == "digits":
        return _placed(digits(seed=seed, units=units))
    values = uploaded(data)
    count, width = values.shape
    return Cases(
        name="upload",
        values=values,
        case_labels=tuple(f"case {n}" for n in range(1, count + 1)),
        unit_labels=tuple(str(n) for n in range(1, width + 1)),
        note="",
    )


def uploaded(data: str) -> Float[Tensor, "N D"]:
    """The array that a `data` parameter names, on the device where figures are computed.

    Raises:
        Gone: It is no longer kept.
    """
    values = UPLOADS.get(data.removeprefix(PREFIX))
    if values is None:
        raise Gone(
            "The server no longer keeps this uploaded file. Upload it again to see it.",
            {"data": DATA.start},
        )
    return values.to(device())


def _placed(source: Cases) -> Cases:
    return replace(source, values=source.values.to(device()))


def swept(values: tuple[float, ...]) -> Float[Tensor, " positions"]:
    """A slider's values as a tensor, where the figures are computed."""
    return torch.tensor(values, device=device())


def literal(values: Float[Tensor, "*shape"]) -> str:
    r"""A tensor as the argument of `torch.tensor`, to float32's last digit.

    >>> literal(torch.tensor([[0.1, 2.0], [3.0, 4.5]]))
    '[\n    [0.1, 2.0],\n    [3.0, 4.5],\n]'
    """
    if values.dim() == 1:
        return "[" + ", ".join(_shortest(value) for value in values) + "]"
    return "[\n" + "".join(f"    {literal(row)},\n" for row in values) + "]"


def _shortest(value: Float[Tensor, ""]) -> str:
    number = float(value)
    digits = next(n for n in range(1, 10) if torch.tensor(float(f"{number:.{n}g}")) == value.cpu())
    return repr(float(f"{number:.{digits}g}"))
