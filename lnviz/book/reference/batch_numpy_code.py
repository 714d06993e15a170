import numpy as np


def batch_norm(x, gain, bias, running, training=True, momentum=0.1, eps=1e-5):
    """x: (N, D); running: its mean and variance, (D,) each, which training moves in place."""
    wide = x.astype(np.result_type(x, np.float32))  # squares of 16 bits overflow
    mean, var = (wide.mean(0), wide.var(0)) if training else running  # (D,), biased
    if training:
        running[0][:] = (1 - momentum) * running[0] + momentum * mean
        running[1][:] = (1 - momentum) * running[1] + momentum * wide.var(0, ddof=1)  # unbiased
    return (gain * (wide - mean) / np.sqrt(var + eps) + bias).astype(x.dtype)  # (N, D)
