import torch.nn.functional as F


def weight_norm(x, direction, length, bias):
    """x: (N, inputs); direction: (D, inputs); length, bias: (D,)."""
    weight = length[:, None] * F.normalize(direction, dim=1)  # (D, inputs)
    return F.linear(x, weight, bias)  # (N, D)
