import numpy as np


def rms_norm(x, gain, eps=1e-5):
    """x: (..., D); gain: (D,)."""
    wide = x.astype(np.result_type(x, np.float32))  # squares of 16 bits overflow
    square = np.square(wide).mean(-1, keepdims=True)  # (..., 1)
    return (gain * wide / np.sqrt(square + eps)).astype(x.dtype)  # (..., D)
