import torch.nn.functional as F


def batch_norm(x, gain, bias, running, training=True, momentum=0.1, eps=1e-5):
    """x: (N, D); running: its mean and variance, (D,) each, which training moves in place."""
    mean, var = running
    return F.batch_norm(x, mean, var, gain, bias, training, momentum, eps)  # (N, D)
