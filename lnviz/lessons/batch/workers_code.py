import torch
from sklearn.datasets import load_digits
from torch.nn import functional as F

workers = 8  # «workers»
cases = 64  # «cases»

torch.manual_seed(0)
images = torch.tensor(load_digits().data / 16).float()
weights = (96 * torch.randn(64, 64)).round() / 256  # so coarse that all sums are exact
x = images[:cases] @ weights.T


def standardized(a):
    return (a - a.mean(0)) / (a.var(0, correction=0) + 1e-5).sqrt()


shares = x.tensor_split(workers)
apart = torch.cat([standardized(share) for share in shares])

# SyncBatchNorm combines each worker's mean, variance and count.
counts = torch.tensor([float(len(share)) for share in shares])[:, None]
means = torch.stack([share.mean(0) for share in shares])
variances = torch.stack([share.var(0, correction=0) for share in shares])
mean = (counts * means).sum(0) / cases
var = (counts * (variances + (means - mean) ** 2)).sum(0) / cases
synchronized = (x - mean) / (var + 1e-5).sqrt()


def off(y):
    return (y - standardized(x)).square().mean().sqrt()


layer = torch.cat([F.layer_norm(share, (64,)) for share in shares]) - F.layer_norm(x, (64,))
print(off(apart), off(synchronized), layer.abs().max())
