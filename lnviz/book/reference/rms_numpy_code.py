import numpy as np


def rms_norm(x, gain, eps=1e-5):
    """x: (..., D); gain: (D,)."""
    square = np.square(x).mean(-1, keepdims=True)  # (..., 1)
    return gain * x / np.sqrt(square + eps)  # (..., D)
