"""MNIST as a visitor brings it: the file `mnist.npz` in the layout of Keras."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Int64, UInt8
from torch import Tensor

from lnviz.data.uploads.archive import ZIP_STARTS, Archive
from lnviz.data.uploads.npy import LONGEST_HEADER, Header, read_header, require_size, values
from lnviz.data.uploads.requirements import MAX_BYTES, UploadError, shown

SIDE: Final = 28  # pixels
DIGITS: Final = 10
FEWEST: Final = 100  # images of a part
MOST: Final = 70_000  # images of both parts: as many as MNIST has
NAMES: Final = ("x_train", "y_train", "x_test", "y_test")
FILE: Final = "The file"
LAYOUT: Final = (
    'Bring "mnist.npz" as Keras has it: images "x_train" and "x_test", and the digits that they '
    'show, "y_train" and "y_test", all of uint8.'
)


@dataclass(frozen=True, eq=False)
class Images:
    """Images of digits; the tensors are shared: do not write into them.

    Attributes:
        images: pixels, 0 for paper and 255 for ink.
        targets: the digit that each image shows.
    """

    images: UInt8[Tensor, "N 28 28"]
    targets: Int64[Tensor, " N"]


@dataclass(frozen=True, eq=False)
class Mnist:
    """The two parts that the file has: to learn from, and to test with."""

    train: Images
    test: Images


def read_mnist(raw: bytes) -> Mnist:
    """Read a visitor's `mnist.npz`, whatever its bytes are.

    It holds the arrays `x_train` and `x_test` of shape N x 28 x 28, and `y_train` and `y_test` of
    N digits, all of type uint8; what else is in it is passed over. A part has at least 100 images,
    and both have at most 70,000 together.

    Args:
        raw: the file's content.

    Raises:
        UploadError: it is something else; the message says what is wrong and what to do.

    >>> read_mnist(b"")
    Traceback (most recent call last):
    lnviz.data.uploads.requirements.UploadError: The file is empty (0 bytes). ...
    """
    if not raw:
        raise UploadError(f"{FILE} is empty (0 bytes). {LAYOUT}")
    if len(raw) > MAX_BYTES:
        raise UploadError(
            f"{FILE} has {len(raw):,} bytes, more than the {MAX_BYTES:,} (20 MB) that are allowed. "
            "Save it with numpy.savez_compressed."
        )
    if not raw.startswith(ZIP_STARTS):
        raise UploadError(f"{FILE} does not begin as a .npz file. {LAYOUT}")
    archive = Archive(FILE.lower(), raw)
    members = {member.filename: member for member in archive.members}
    # What the arrays declare is seen to before memory is taken for any of them.
    headers = {name: _header(archive, members, name) for name in NAMES}
    for part in ("train", "test"):
        _require_pairs(part, headers[f"x_{part}"].shape[0], headers[f"y_{part}"].shape[0])
    count = headers["x_train"].shape[0] + headers["x_test"].shape[0]
    if count > MOST:
        raise UploadError(
            f"{FILE} holds {count:,} images, more than the {MOST:,} that are allowed. Save fewer."
        )
    for name, header in headers.items():
        require_size(_named(name), header, members[f"{name}.npy"].file_size)

    def array(name: str) -> Tensor:
        numbers = values(_named(name), headers[name], archive.unpack(members[f"{name}.npy"]))
        return torch.from_numpy(np.array(numbers, order="C"))

    def images_of(name: str) -> Images:
        targets = array(f"y_{name}").long()
        if targets.max() >= DIGITS:
            place = int((targets >= DIGITS).nonzero()[0])
            raise UploadError(
                f"Entry {place + 1:,} (counted from 1) of {_named(f'y_{name}')} is "
                f"{targets[place]}, and a digit is from 0 to {DIGITS - 1}. {LAYOUT}"
            )
        return Images(array(f"x_{name}"), targets)

    return Mnist(images_of("train"), images_of("test"))


def _named(name: str) -> str:
    return f'"{name}" in the file'


def _header(archive: Archive, members: Mapping[str, zipfile.ZipInfo], name: str) -> Header:
    """Read what an array declares, and refuse what is not needed."""
    subject = _named(name)
    if f"{name}.npy" not in members:
        raise UploadError(f'{FILE} holds no array "{name}". {LAYOUT}')
    header = read_header(subject, archive.unpack(members[f"{name}.npy"], LONGEST_HEADER))
    if header.dtype != np.uint8:
        held = header.other or f"numbers of type {header.dtype.name}"
        raise UploadError(
            f'{subject} holds {held}, and uint8 is needed. Save it as array.astype("uint8"), with '
            f"{'pixels from 0 to 255' if name[0] == 'x' else 'digits from 0 to 9'}."
        )
    if name[0] == "x" and header.shape[1:] != (SIDE, SIDE):
        raise UploadError(
            f"{subject} has {shown(header.shape)}; images have shape N x {SIDE} x {SIDE}. {LAYOUT}"
        )
    if len(header.shape) != (3 if name[0] == "x" else 1):
        raise UploadError(f"{subject} has {shown(header.shape)}; digits have shape N. {LAYOUT}")
    return header


def _require_pairs(part: str, images: int, targets: int) -> None:
    """Refuse a part with too few images, or with more or fewer digits than images."""
    if images != targets:
        raise UploadError(
            f'{FILE} holds {images:,} images in "x_{part}" and {targets:,} digits in "y_{part}". '
            "Save a digit for each image."
        )
    if images < FEWEST:
        raise UploadError(
            f"{_named(f'x_{part}')} has too few images: {images:,}, and at least {FEWEST} are "
            "needed. Save more."
        )
