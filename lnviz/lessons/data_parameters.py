"""Where a lesson's numbers come from: the examples, and what visitors bring."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import MAX_SEED, Examples, digits, worked_example
from lnviz.data.uploads import DataTable, UploadError, from_url_value, to_url_value
from lnviz.device import device
from lnviz.explorable import (
    Edits,
    EnumParameter,
    ExpiredDataError,
    IntParameter,
    Option,
    ParameterError,
)

KEPT, WRITTEN = "upload.", "table."
"""How a `data` parameter begins that names a visitor's table: kept here, or in the address."""
JOB = "job."
"""How a parameter begins that names a visitor's runs, which go on while they are looked at."""

DATA = EnumParameter(
    name="data",
    label="Data",
    options=(Option("worked", "table"), Option("digits", "digits")),
    start="worked",
    custom_prefixes=(KEPT, WRITTEN),
    accepts="table",
)
SEED = IntParameter(
    "seed", "Seed", 0, MAX_SEED, 0, reroll_label="New weights", when={"data": ("digits",)}
)


def keep(table: DataTable, owner: str, address: str) -> str:
    """Return the `data` parameter that shows a visitor's table.

    A small table is the parameter itself, so that its link holds for good and needs no room; a
    larger one is kept for a while, under a name that cannot be guessed.

    Args:
        table: What the visitor has brought.
        owner: The visitor.
        address: The address that it comes from.

    Raises:
        QuotaExceeded: As `uploads.put`.
        StoreError: It cannot be kept now.
    """
    written = to_url_value(table)
    if written is not None:
        return WRITTEN + written
    # Here, since a figure without an upload needs no SQLAlchemy.
    from lnviz.database import uploads
    from lnviz.database.session import get_database

    return KEPT + uploads.put(get_database(), uploads.TABLES, table.to_bytes(), owner, address)


def written(values: object) -> str:
    """Return the `data` parameter that shows numbers of one's own, as `keep` writes a small table.

    Args:
        values: Examples x features: a tensor, an array, or a list of rows.

    Raises:
        ParameterError: They are no table, or one that is too large for an address.

    >>> written([[1, 2.5], [3, 4]])
    'table.1_2.5*3_4'
    """
    table = torch.as_tensor(values, dtype=torch.float32).cpu()
    text = to_url_value(DataTable(table)) if table.dim() == 2 else None
    if text is None:
        raise ParameterError(
            "Numbers of your own are a table of examples x features, small enough for an address; "
            f"got shape {tuple(table.shape)}. Take some rows and columns of it.",
            {"data": DATA.start},
        )
    return WRITTEN + text


def own(data: str, instead: str = DATA.start) -> DataTable:
    """Return the visitor's table that a `data` parameter names, where figures are computed.

    Args:
        data: What `keep` returned, or anything a visitor has written in its place.
        instead: The example to show where there is no such table.

    Raises:
        Gone: It is no longer kept.
        ParameterError: It is no table.
        StoreError: What is kept cannot be read now.
    """
    if data.startswith(WRITTEN):
        try:
            table = from_url_value(data.removeprefix(WRITTEN))
        except UploadError as error:
            raise ParameterError(str(error), {"data": instead}) from error
    else:
        from lnviz.database import uploads
        from lnviz.database.session import get_database

        content = uploads.get(get_database(), uploads.TABLES, data.removeprefix(KEPT))
        if content is None:
            raise ExpiredDataError(
                "The server no longer keeps this table. Upload it again to see it.",
                {"data": instead},
            )
        table = DataTable.from_bytes(content)
    return replace(table, values=table.values.to(device()))


def cases(data: str, seed: int, *, units: int) -> Examples:
    """Return the cases a `data` parameter names, on the device where figures are computed.

    Raises:
        ParameterError: As `own`.
    """
    if data in ("worked", "digits"):
        example = worked_example() if data == "worked" else digits(seed=seed, features=units)
        return replace(example, values=example.values.to(device()))
    table = own(data)
    count, width = table.values.shape
    return Examples(
        name="own",
        values=table.values,
        example_labels=table.rows or tuple(f"example {n}" for n in range(1, count + 1)),
        feature_labels=table.columns or tuple(str(n) for n in range(1, width + 1)),
        note="",
    )


def edits(data: str, pointer: str) -> Edits | None:
    """Say how the cells of a small table can be typed anew; of digits they cannot.

    Args:
        data: The parameter that names the table.
        pointer: The pointer over all its cells, row by row.
    """
    if data == "digits":
        return None
    table = DataTable(worked_example().values) if data == "worked" else own(data)
    text = to_url_value(replace(table, values=table.values.cpu()))
    if text is None:
        return None
    lines = tuple(tuple(line.split("_")) for line in text.split("*"))
    return Edits(DATA.name, pointer, WRITTEN, lines, (bool(table.columns), bool(table.rows)))


def tensor_of(values: tuple[float, ...]) -> Float[Tensor, " positions"]:
    """Return a slider's values as a tensor, where the figures are computed."""
    return torch.tensor(values, device=device())


def literal(values: Float[Tensor, "*shape"]) -> str:
    r"""Write a tensor as the argument of `torch.tensor`, to float32's last digit.

    >>> literal(torch.tensor([[0.1, 2.0], [3.0, 4.5]]))
    '[\n    [0.1, 2.0],\n    [3.0, 4.5],\n]'
    """
    if values.dim() == 1:
        return "[" + ", ".join(str(np.float32(value)) for value in values.tolist()) + "]"
    return "[\n" + "".join(f"    {literal(row)},\n" for row in values) + "]"
