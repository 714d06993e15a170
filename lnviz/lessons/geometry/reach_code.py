import math

import torch
from torch.autograd.functional import jvp

norm = "layer"  # «norm»
step_size = 0.1  # «step size»

generator = torch.Generator().manual_seed(0)


def normal(*shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


# 24 examples of 5 inputs, 3 units.
x = normal(5) / 2 + normal(24, 5)
W = normal(3, 5) / 5**0.5
g = torch.rand(3, generator=generator, dtype=torch.float64) + 0.5
b = normal(3) / 2


def natural(W):
    a = x @ W.T
    if norm == "none":
        return g * a + b
    over = 0 if norm == "batch" else 1
    if norm in ("batch", "layer"):
        a = a - a.mean(over, keepdim=True)
    sigma = W.norm(dim=1) if norm == "weight" else a.square().mean(over, keepdim=True).sqrt()
    return g * (a / sigma).nan_to_num(0) + b  # 0/0 counts as 0


def predict(z):
    return z.softmax(-1)


def divergence(z, after):  # KL, averaged over the examples
    further = after.logsumexp(-1) - z.logsumexp(-1)
    return (further - (predict(z) * (after - z)).sum(-1)).mean()


# Two directions, of length 1 and perpendicular.
along = W / W.norm()
generator.manual_seed(0)
across = normal(*W.shape)
across -= (across * along).sum() * along
across /= across.norm()

z = natural(along)
exact, quadratic = [], []
for degrees in range(0, 181, 3):
    turn = math.radians(degrees)
    # Rounded, so that 90 and 180 degrees are exactly across and backward.
    step = round(math.cos(turn), 12) * along + round(math.sin(turn), 12) * across
    exact.append(divergence(z, natural(along + step_size * step)))
    # Half of the step by the Fisher matrix by the step.
    _, slope = jvp(natural, along, step_size * step)
    _, change = jvp(predict, z, slope)
    quadratic.append((slope * change).sum(-1).mean() / 2)
print(torch.stack([torch.stack(exact), torch.stack(quadratic)]))
