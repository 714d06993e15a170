"""The `data` and `seed` parameters of figures: built-in examples, or a user's own table."""

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

STORED_PREFIX, INLINE_PREFIX = "upload.", "table."
"""Prefixes of a `data` parameter for a user's table: stored on the server, or in the URL."""
RUN_PREFIX = "job."
"""Prefix of a parameter that names a user's training job."""

DATA = EnumParameter(
    name="data",
    label="Data",
    options=(Option("worked", "table"), Option("digits", "digits")),
    start="worked",
    custom_prefixes=(STORED_PREFIX, INLINE_PREFIX),
    accepts="table",
)
SEED = IntParameter(
    "seed", "Seed", 0, MAX_SEED, 0, reroll_label="New weights", when={"data": ("digits",)}
)


def store_table(table: DataTable, owner: str, address: str) -> str:
    """Store a user's table; return the value of the `data` parameter that refers to it.

    A small table is encoded in the parameter itself, so that its link never expires. A larger table
    is stored for a limited time under a random name.

    Args:
        table: The user's table.
        owner: The hash of the user's client id.
        address: The hash of the user's IP network.

    Raises:
        QuotaExceeded: As `uploads.put_upload`.
        StoreError: The database cannot be used now.
    """
    written = to_url_value(table)
    if written is not None:
        return INLINE_PREFIX + written
    # Here, since a figure without an upload needs no SQLAlchemy.
    from lnviz.database import uploads
    from lnviz.database.session import get_database

    return STORED_PREFIX + uploads.put_upload(
        get_database(), uploads.TABLES, table.to_bytes(), owner, address
    )


def encode_table(values: object) -> str:
    """Encode a small table as a value of the `data` parameter, so that nothing is stored.

    Args:
        values: Examples x features: a tensor, an array, or a list of rows.

    Raises:
        ParameterError: The values are not a table, or it is too large for a URL.

    >>> encode_table([[1, 2.5], [3, 4]])
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
    return INLINE_PREFIX + text


def load_table(data: str, instead: str = DATA.start) -> DataTable:
    """Return the user's table that a `data` parameter refers to, on the compute device.

    Args:
        data: The result of `store_table`, or any text from a URL.
        instead: The built-in example that error messages suggest instead.

    Raises:
        ExpiredDataError: The table has been deleted.
        ParameterError: The text does not encode a table.
        StoreError: The database cannot be used now.
    """
    if data.startswith(INLINE_PREFIX):
        try:
            table = from_url_value(data.removeprefix(INLINE_PREFIX))
        except UploadError as error:
            raise ParameterError(str(error), {"data": instead}) from error
    else:
        from lnviz.database import uploads
        from lnviz.database.session import get_database

        content = uploads.get_upload(
            get_database(), uploads.TABLES, data.removeprefix(STORED_PREFIX)
        )
        if content is None:
            raise ExpiredDataError(
                "The server no longer keeps this table. Upload it again to see it.",
                {"data": instead},
            )
        table = DataTable.from_bytes(content)
    return replace(table, values=table.values.to(device()))


def load_examples(data: str, seed: int, *, units: int) -> Examples:
    """Return the examples (built-in or a user's) that `data` names, on the compute device.

    Raises:
        ParameterError: As `load_table`.
    """
    if data in ("worked", "digits"):
        example = worked_example() if data == "worked" else digits(seed=seed, features=units)
        return replace(example, values=example.values.to(device()))
    table = load_table(data)
    count, width = table.values.shape
    return Examples(
        name="own",
        values=table.values,
        example_labels=table.rows or tuple(f"example {n}" for n in range(1, count + 1)),
        feature_labels=table.columns or tuple(str(n) for n in range(1, width + 1)),
        note="",
    )


def table_edits(data: str, pointer: str) -> Edits | None:
    """Return how readers may edit a small table in a figure; None for digits and large tables.

    Args:
        data: The value of the `data` parameter.
        pointer: The name of the cell picker whose positions are the table's cells, row by row.
    """
    if data == "digits":
        return None
    table = DataTable(worked_example().values) if data == "worked" else load_table(data)
    text = to_url_value(replace(table, values=table.values.cpu()))
    if text is None:
        return None
    lines = tuple(tuple(line.split("_")) for line in text.split("*"))
    return Edits(DATA.name, pointer, INLINE_PREFIX, lines, (bool(table.columns), bool(table.rows)))


def to_tensor(values: tuple[float, ...]) -> Float[Tensor, " positions"]:
    """Return a slider's values as a tensor on the compute device."""
    return torch.tensor(values, device=device())


def tensor_literal(values: Float[Tensor, "*shape"]) -> str:
    r"""Return a tensor as Python source, for a call of `torch.tensor`; exact in float32.

    >>> tensor_literal(torch.tensor([[0.1, 2.0], [3.0, 4.5]]))
    '[\n    [0.1, 2.0],\n    [3.0, 4.5],\n]'
    """
    if values.dim() == 1:
        return "[" + ", ".join(str(np.float32(value)) for value in values.tolist()) + "]"
    return "[\n" + "".join(f"    {tensor_literal(row)},\n" for row in values) + "]"
