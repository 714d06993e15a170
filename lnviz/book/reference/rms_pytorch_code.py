import torch.nn.functional as F


def rms_norm(x, gain, eps=1e-5):
    """x: (..., D); gain: (D,). Say eps: by default it is far smaller."""
    return F.rms_norm(x, x.shape[-1:], gain, eps)  # (..., D)
