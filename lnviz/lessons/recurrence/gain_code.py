import torch
from torch.nn import functional as F

SIZE, STEPS, CASES = 32, 50, 8
gain = 1.0  # «gain»
matrix = "random"  # «recurrent matrix»
inputs = 1.0  # «coming in»

generator = torch.Generator().manual_seed(0)


def normal(*shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def norm(a):
    return gain * F.batch_norm(a, None, None, training=True)


weight = normal(SIZE, SIZE)
weight = (weight / torch.linalg.eigvals(weight).abs().max()).float()
if matrix == "identity":
    weight = torch.eye(SIZE)
first = normal(CASES, SIZE)
first = (first / first.square().mean(-1, keepdim=True).sqrt()).float()
added = (normal(1 + STEPS, CASES, SIZE) * inputs).float()
last = normal(CASES, SIZE).float()


def step(h, x):
    return (norm(h @ weight.T) + norm(x)).tanh()


# The first step brings the state to the size that the norms set.
early = h = step(first, added[0]).requires_grad_()
states = []
for x in added[1:]:
    h = step(h, x)
    states.append(h)
slope = (1 - torch.stack(states).square()).mean()
(back,) = torch.autograd.grad((h * last).sum(), early)
share = back.square().mean().sqrt() / last.square().mean().sqrt()
print(slope, share, share ** (1 / STEPS))
