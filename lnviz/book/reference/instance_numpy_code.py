import numpy as np


def instance_norm(x, gain, bias, eps=1e-5):
    """x: (N, C, H, W); gain, bias: (C,)."""
    mean = x.mean((2, 3), keepdims=True)  # (N, C, 1, 1)
    var = x.var((2, 3), keepdims=True)  # (N, C, 1, 1), biased
    x_hat = (x - mean) / np.sqrt(var + eps)  # (N, C, H, W)
    return gain[:, None, None] * x_hat + bias[:, None, None]  # (N, C, H, W)
