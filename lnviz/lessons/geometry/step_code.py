import math

import torch

family = "softmax"  # «family»
part = "matrix"  # «part»
seed = 0  # «seed»
length = 1.0  # «weight length»
direction = 90  # «direction»
size = 0.01
norms = ["none", "batch", "weight", "rms", "layer"]

generator = torch.Generator().manual_seed(seed)


def normal(*shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


# 24 examples of 5 inputs, 3 units.
x = normal(5) / 2 + normal(24, 5)
W = normal(3, 5) / 5**0.5
g = torch.rand(3, generator=generator, dtype=torch.float64) + 0.5
b = normal(3) / 2


def standardized(a, W, norm):
    if norm == "none":
        return a
    over = 0 if norm == "batch" else 1
    if norm in ("batch", "layer"):
        a = a - a.mean(over, keepdim=True)
    sigma = W.norm(dim=1) if norm == "weight" else a.square().mean(over, keepdim=True).sqrt()
    return (a / sigma).nan_to_num(0)  # 0/0 counts as 0


def natural(W, norm):
    return g * standardized(x @ W.T, W, norm) + b


def A(z):  # its slope is what the model predicts
    if family == "softmax":
        return z.logsumexp(-1)
    if family == "logistic":
        return torch.nn.functional.softplus(z, threshold=50).sum(-1)
    return z.square().sum(-1) / 2


def predict(z):
    if family == "softmax":
        return z.softmax(-1)
    return z.sigmoid() if family == "logistic" else z


def divergence(z, after):  # KL, averaged over the examples
    return (A(after) - A(z) - (predict(z) * (after - z)).sum(-1)).mean()


# What moves: the whole matrix, or its first row. Two directions, of length 1 and perpendicular.
rows = slice(None) if part == "matrix" else slice(1)
moving = torch.zeros_like(W)
moving[rows] = 1
rest = W * (1 - moving)
along = moving * W / (moving * W).norm()
generator.manual_seed(seed)
across = moving * normal(*W.shape)
across -= (across * along).sum() * along
across /= across.norm()

before = rest + length * along
turn = math.radians(direction)
after = before + size * (math.cos(turn) * along + math.sin(turn) * across)
moved = [divergence(natural(before, norm), natural(after, norm)) for norm in norms]
print(torch.stack(moved))  # in the order of norms
