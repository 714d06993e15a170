"""Experiments that read a visitor's file, given one."""

import io

import numpy as np

from lnviz.topics.lab import EXPERIMENTS


def mnist_file(train: int = 300, test: int = 100) -> bytes:
    """A small `mnist.npz`: scikit-learn's digits, their pixels enlarged, with a border."""
    from sklearn.datasets import load_digits  # takes a second

    pixels, targets = load_digits(return_X_y=True)
    large = np.kron(pixels[: train + test].reshape(-1, 8, 8) * 15, np.ones((1, 3, 3)))
    images = np.pad(large, ((0, 0), (2, 2), (2, 2))).astype(np.uint8)
    digits = targets[: train + test].astype(np.uint8)
    out = io.BytesIO()
    np.savez_compressed(
        out,
        x_train=images[:train],
        y_train=digits[:train],
        x_test=images[train:],
        y_test=digits[train:],
    )
    return out.getvalue()


def table_file(**changes: np.ndarray) -> bytes:
    """A small `table.npz`: scikit-learn's irises, their classes called 3, 5 and 7."""
    from sklearn.datasets import load_iris  # takes a second

    inputs, labels = load_iris(return_X_y=True)
    out = io.BytesIO()
    np.savez(out, **{"inputs": inputs, "labels": 2 * labels + 3} | changes)
    return out.getvalue()


FILE = mnist_file()
FILES = {"mnist": FILE, "table": table_file()}
WITH_CASES = {
    name: each.given(FILES[name]) if each.read else each for name, each in EXPERIMENTS.items()
}
"""Every experiment, ready to be run."""
