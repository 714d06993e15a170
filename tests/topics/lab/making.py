"""Experiments that read a visitor's file, given one."""

import io
from importlib.metadata import distribution

import numpy as np

from lnviz.data.examples import digit_images
from lnviz.topics.lab import EXPERIMENTS


def mnist_file(train: int = 300, test: int = 100) -> bytes:
    """A small `mnist.npz`: scikit-learn's digits, their pixels enlarged, with a border."""
    digits = digit_images()
    pixels = digits.images[: train + test].view(-1, 8, 8).numpy() * 240
    large = np.kron(pixels, np.ones((1, 3, 3)))
    images = np.pad(large, ((0, 0), (2, 2), (2, 2))).astype(np.uint8)
    targets = digits.targets[: train + test].numpy().astype(np.uint8)
    out = io.BytesIO()
    np.savez_compressed(
        out,
        x_train=images[:train],
        y_train=targets[:train],
        x_test=images[train:],
        y_test=targets[train:],
    )
    return out.getvalue()


def table_file(**changes: np.ndarray) -> bytes:
    """A small `table.npz`: scikit-learn's irises, their classes called 3, 5 and 7."""
    # Found without an import of scikit-learn, which takes a second.
    file = str(distribution("scikit-learn").locate_file("sklearn/datasets/data/iris.csv"))
    *inputs, labels = np.loadtxt(file, delimiter=",", skiprows=1, unpack=True)
    labels = 2 * labels.astype(np.int64) + 3
    out = io.BytesIO()
    np.savez(out, **{"inputs": np.stack(inputs, 1), "labels": labels} | changes)
    return out.getvalue()


FILE = mnist_file()
FILES = {"mnist": FILE, "table": table_file()}
WITH_CASES = {
    name: each.with_file(FILES[name]) if each.load_file else each
    for name, each in EXPERIMENTS.items()
}
"""Every experiment, ready to be run."""
