import numpy as np


def group_norm(x, groups, gain, bias, eps=1e-5):
    """x: (N, C, H, W); gain, bias: (C,)."""
    wide = x.astype(np.result_type(x, np.float32))  # squares of 16 bits overflow
    cut = wide.reshape(len(x), groups, -1)  # (N, G, C / G * H * W)
    mean = cut.mean(-1, keepdims=True)  # (N, G, 1)
    var = cut.var(-1, keepdims=True)  # (N, G, 1), biased
    x_hat = ((cut - mean) / np.sqrt(var + eps)).reshape(x.shape)  # (N, C, H, W)
    return (gain[:, None, None] * x_hat + bias[:, None, None]).astype(x.dtype)  # (N, C, H, W)
