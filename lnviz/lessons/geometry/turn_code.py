import math

import torch
from torch.nn import functional as F

length = 2.0  # «weight length»
size = 0.5  # «size»

generator = torch.Generator().manual_seed(0)


def normal(*shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


# 24 examples of 5 inputs, 3 units.
x = normal(5) / 2 + normal(24, 5)
W = normal(3, 5) / 5**0.5
g = torch.rand(3, generator=generator, dtype=torch.float64) + 0.5
b = normal(3) / 2

# Two directions, of length 1 and perpendicular.
along = W / W.norm()
generator.manual_seed(0)
across = normal(3, 5)
across -= (across * along).sum() * along
across /= across.norm()

before = length * along
after = before + size * across


def outputs(W, norm):
    return g * norm(x @ W.T) + b


def moved(norm):
    change = outputs(after, norm) - outputs(before, norm)
    return change.square().sum(-1).mean().sqrt()


plain, layer = (moved(norm) for norm in (lambda a: a, lambda a: F.layer_norm(a, (3,), eps=0)))
print(torch.tensor(math.degrees(math.atan(size / length))), torch.stack([plain, layer]))
