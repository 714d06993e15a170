import numpy as np


def layer_norm(x, gain, bias, eps=1e-5):
    """x: (..., D); gain, bias: (D,)."""
    mean = x.mean(-1, keepdims=True)  # (..., 1)
    var = x.var(-1, keepdims=True)  # (..., 1), biased
    return gain * (x - mean) / np.sqrt(var + eps) + bias  # (..., D)
