import torch.nn.functional as F


def group_norm(x, groups, gain, bias, eps=1e-5):
    """x: (N, C, H, W); gain, bias: (C,)."""
    return F.group_norm(x, groups, gain, bias, eps)  # (N, C, H, W)
