import numpy as np


def weight_norm(x, direction, length, bias):
    """x: (N, inputs); direction: (D, inputs); length, bias: (D,)."""
    weight = direction * (length / np.linalg.norm(direction, axis=1))[:, None]  # (D, inputs)
    return x @ weight.T + bias  # (N, D)
