import numpy as np


def layer_norm(x, gain, bias, eps=1e-5):
    """x: (..., D); gain, bias: (D,)."""
    wide = x.astype(np.result_type(x, np.float32))  # squares of 16 bits overflow
    mean = wide.mean(-1, keepdims=True)  # (..., 1)
    var = wide.var(-1, keepdims=True)  # (..., 1), biased
    return (gain * (wide - mean) / np.sqrt(var + eps) + bias).astype(x.dtype)  # (..., D)
