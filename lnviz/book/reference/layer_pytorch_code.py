import torch.nn.functional as F


def layer_norm(x, gain, bias, eps=1e-5):
    """x: (..., D); gain, bias: (D,)."""
    return F.layer_norm(x, x.shape[-1:], gain, bias, eps)  # (..., D)
