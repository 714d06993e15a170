"""Reader of an uploaded MNIST file, `mnist.npz` in the format of Keras."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Int64, UInt8
from torch import Tensor

from lnviz.data.uploads.npy import NpyHeader
from lnviz.data.uploads.npz_members import FILE, NpzMembers, quote_member
from lnviz.data.uploads.requirements import UploadError, describe_shape

SIDE: Final = 28  # pixels
DIGITS: Final = 10
MIN_IMAGES: Final = 100  # images of a part
MAX_IMAGES: Final = 70_000  # images of both parts: as many as MNIST has
NAMES: Final = ("x_train", "y_train", "x_test", "y_test")
LAYOUT: Final = (
    'Upload the "mnist.npz" of Keras: images "x_train" and "x_test", and the digits that they '
    'show, "y_train" and "y_test", all of type uint8.'
)


@dataclass(frozen=True, eq=False)
class MnistImages:
    """MNIST images and their digits. The tensors are shared: do not modify them.

    Attributes:
        images: pixels, 0 for background and 255 for ink.
        targets: the digit that each image shows.
    """

    images: UInt8[Tensor, "N 28 28"]
    targets: Int64[Tensor, " N"]


@dataclass(frozen=True, eq=False)
class Mnist:
    """The training and test images of an uploaded MNIST file."""

    train: MnistImages
    test: MnistImages


def read_mnist(raw: bytes) -> Mnist:
    """Read an uploaded `mnist.npz`. Safe for untrusted files.

    The file has the arrays `x_train` and `x_test` of shape N x 28 x 28, and `y_train` and `y_test`
    with N digits, all of dtype uint8; other arrays are ignored. Each split must have at least 100
    images, and both together at most 70,000.

    Args:
        raw: the file's content.

    Raises:
        UploadError: the file has other content; the message says how to fix it.

    >>> read_mnist(b"")
    Traceback (most recent call last):
    lnviz.data.uploads.requirements.UploadError: The file is empty (0 bytes). ...
    """
    arrays = NpzMembers(raw, NAMES, LAYOUT)
    headers = arrays.headers
    for name, header in headers.items():
        _require_kind(name, header)
    for part in ("train", "test"):
        _require_pairs(part, headers[f"x_{part}"].shape[0], headers[f"y_{part}"].shape[0])
    count = headers["x_train"].shape[0] + headers["x_test"].shape[0]
    if count > MAX_IMAGES:
        raise UploadError(
            f"{FILE} holds {count:,} images, more than the limit of {MAX_IMAGES:,}. Save fewer "
            "images."
        )
    arrays.require_sizes()

    def array(name: str) -> Tensor:
        return torch.from_numpy(np.array(arrays.values(name), order="C"))

    def images_of(name: str) -> MnistImages:
        targets = array(f"y_{name}").long()
        if targets.max() >= DIGITS:
            place = int((targets >= DIGITS).nonzero()[0])
            raise UploadError(
                f"Entry {place + 1:,} (counted from 1) of {quote_member(f'y_{name}')} is "
                f"{targets[place]}, but digits must be from 0 to {DIGITS - 1}. {LAYOUT}"
            )
        return MnistImages(array(f"x_{name}"), targets)

    return Mnist(images_of("train"), images_of("test"))


def _require_kind(name: str, header: NpyHeader) -> None:
    """Raise an error if an array does not have the required dtype and shape."""
    subject = quote_member(name)
    if header.dtype != np.uint8:
        held = header.unsupported_kind or f"numbers of type {header.dtype.name}"
        raise UploadError(
            f'{subject} holds {held}, but must hold uint8. Save it as array.astype("uint8"), with '
            f"{'pixels from 0 to 255' if name[0] == 'x' else 'digits from 0 to 9'}."
        )
    if name[0] == "x" and header.shape[1:] != (SIDE, SIDE):
        raise UploadError(
            f"{subject} has {describe_shape(header.shape)}, but images must have shape N x {SIDE} "
            f"x {SIDE}. {LAYOUT}"
        )
    if len(header.shape) != (3 if name[0] == "x" else 1):
        raise UploadError(
            f"{subject} has {describe_shape(header.shape)}, but digits must have shape N. {LAYOUT}"
        )


def _require_pairs(part: str, images: int, targets: int) -> None:
    """Raise an error if a split has too few images, or not one digit per image."""
    if images != targets:
        raise UploadError(
            f'{FILE} holds {images:,} images in "x_{part}", but {targets:,} digits in "y_{part}". '
            "Save one digit for each image."
        )
    if images < MIN_IMAGES:
        raise UploadError(
            f"{quote_member(f'x_{part}')} has {images:,} images, but at least {MIN_IMAGES} are "
            "needed. Save more images."
        )
