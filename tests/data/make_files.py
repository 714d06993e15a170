"""Writes data files of `lnviz.data` from scikit-learn's: `python -m tests.data.make_files`.

They are files of ours, since scikit-learn and SciPy are 160 MB that nothing else needs.
THIRD_PARTY.md names their authors and licenses.
"""

import numpy as np
import torch
from sklearn.datasets import load_digits, load_sample_images
from torch.nn import functional as F

from lnviz.data import examples, photos


def digits() -> dict[str, np.ndarray]:
    """The pixels, from 0 to 16, and the digits that they show."""
    pixels, targets = load_digits(return_X_y=True)
    return {"images": pixels.astype(np.uint8), "targets": targets.astype(np.uint8)}


def crops() -> dict[str, np.ndarray]:
    """Crops of the two photographs, each value the mean over a square or nearly square area."""
    whole = [torch.tensor(photo).movedim(-1, 0) / 255 for photo in load_sample_images().images]
    parts = [
        F.adaptive_avg_pool2d(whole[which][:, top : top + side, left : left + side], photos.SIZE)
        for which, top, left, side in photos.CROPS.values()
    ]
    return {"images": torch.stack(parts).numpy()}


if __name__ == "__main__":
    np.savez_compressed(examples.DIGITS_FILE, **digits())
    np.savez_compressed(photos.FILE, **crops())
