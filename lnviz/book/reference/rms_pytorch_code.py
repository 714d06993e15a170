import torch.nn.functional as F


def rms_norm(x, gain, eps=1e-5):
    """x: (..., D); gain: (D,). Say eps: by default it is that of the numbers' type."""
    return F.rms_norm(x, x.shape[-1:], gain, eps)  # (..., D)
