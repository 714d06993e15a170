import numpy as np


def weight_norm(x, direction, length, bias):
    """x: (N, inputs); direction: (D, inputs); length, bias: (D,)."""
    wide = direction.astype(np.result_type(direction, np.float32))
    scale = length / np.sqrt(np.square(wide).sum(1))  # (D,); squares of 16 bits overflow
    weight = (wide * scale[:, None]).astype(x.dtype)  # (D, inputs)
    return x @ weight.T + bias  # (N, D)
