"""Reader of uploaded tables of labeled examples, for training a classifier."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from lnviz.data.uploads.npz_members import FILE, NpzMembers, quote_member
from lnviz.data.uploads.requirements import (
    MAX_CELLS,
    UploadError,
    describe_shape,
    to_finite_float32,
)

INPUTS, LABELS = "inputs", "labels"
MAX_EXAMPLES: Final = 70_000  # as many as MNIST has
MAX_COLUMNS: Final = 10_000
MAX_CLASSES: Final = 100
MIN_EXAMPLES_PER_CLASS: Final = (
    5  # examples of a class: three to learn from, one to choose by, one to test with
)
LAYOUT: Final = (
    'Upload a .npz file with an array of numbers, "inputs", that has one row per example, and an '
    'array of whole numbers, "labels", that has the class of each row.'
)


@dataclass(frozen=True, eq=False)
class LabeledTable:
    """Features and class labels of the examples in an uploaded table.

    Attributes:
        inputs: one row per example, one column per feature.
        targets: the class of each example, as an index from 0 in ascending order of the labels.
    """

    inputs: Float[Tensor, "N D"]
    targets: Int64[Tensor, " N"]


def read_labeled(raw: bytes) -> LabeledTable:
    """Read an uploaded table of labeled examples. Safe for untrusted files.

    The file is a `.npz` with `inputs` of shape N x D and `labels` of shape N. Labels are integers
    of any numeric dtype, including floating point; other arrays are ignored. There must be 2 to 100
    classes with at least 5 examples each.

    Args:
        raw: the file's content.

    Raises:
        UploadError: the file is not such a table; the message says how to fix it.

    >>> read_labeled(b"")
    Traceback (most recent call last):
    lnviz.data.uploads.requirements.UploadError: The file is empty (0 bytes). ...
    """
    arrays = NpzMembers(raw, (INPUTS, LABELS), LAYOUT)
    _require_shapes(arrays)
    arrays.require_sizes()
    targets = _class_indices(arrays.values(LABELS))
    return LabeledTable(to_finite_float32(quote_member(INPUTS), arrays.values(INPUTS)), targets)


def _require_shapes(arrays: NpzMembers) -> None:
    """Raise an error if arrays are not numeric, differ in length, or are too large."""
    for name, axes, kind in ((INPUTS, 2, "float32"), (LABELS, 1, "int64")):
        header = arrays.headers[name]
        if header.unsupported_kind:
            raise UploadError(
                f"{quote_member(name)} holds {header.unsupported_kind}, but must hold numbers. "
                f'Convert it if that makes sense: array.astype("{kind}").'
            )
        if len(header.shape) != axes:
            wanted = "N x D" if axes == 2 else "N"
            raise UploadError(
                f"{quote_member(name)} has {describe_shape(header.shape)}, but {name} must have "
                f"shape {wanted}. {LAYOUT}"
            )
    (rows, columns), (labels,) = (arrays.headers[name].shape for name in (INPUTS, LABELS))
    if rows != labels:
        raise UploadError(
            f'{FILE} holds {rows:,} rows in "{INPUTS}", but {labels:,} entries in "{LABELS}". '
            "Save one label for each row."
        )
    for count, most, what in (
        (rows, MAX_EXAMPLES, "rows"),
        (columns, MAX_COLUMNS, "columns"),
        (rows * columns, MAX_CELLS, "cells"),
    ):
        if count > most:
            raise UploadError(
                f"{quote_member(INPUTS)} has {count:,} {what}, more than the limit of {most:,}. "
                f"Save fewer {'rows or columns' if what == 'cells' else what}."
            )
    if columns == 0:
        raise UploadError(f"{quote_member(INPUTS)} has no columns. {LAYOUT}")


def _class_indices(labels: npt.NDArray[Any]) -> Int64[Tensor, " N"]:
    """Return each label's class index; classes are numbered in ascending order of the labels."""
    whole = np.isfinite(labels) & (np.floor(labels) == labels)
    if not whole.all():
        place = int(np.argmin(whole))
        raise UploadError(
            f"Entry {place + 1:,} (counted from 1) of {quote_member(LABELS)} is {labels[place]}, "
            "but labels must be whole numbers. Enter a class number there, or leave that row out."
        )
    classes, targets, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if not 2 <= len(classes) <= MAX_CLASSES:
        raise UploadError(
            f"{quote_member(LABELS)} must have 2 to {MAX_CLASSES} classes, but has "
            f"{len(classes):,}. Save rows of at least two classes, with labels that number the "
            "classes."
        )
    if counts.min() < MIN_EXAMPLES_PER_CLASS:
        rare = int(np.argmin(counts))
        raise UploadError(
            f"Class {int(classes[rare])} of {quote_member(LABELS)} has too few examples: "
            f"{counts[rare]}, but at least {MIN_EXAMPLES_PER_CLASS} are needed. Save more of "
            "them, or leave that class out."
        )
    return torch.from_numpy(targets.astype(np.int64))
