import torch
from torch.nn import functional as F

size = 32  # «size»
steps = 200  # «steps»
radius = 1.1  # «radius»
inputs = 0.5  # «input size»
CASES = 8

generator = torch.Generator().manual_seed(0)


def normal(*shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


weight = normal(size, size)
weight = (weight / torch.linalg.eigvals(weight).abs().max()).float() * radius
first = normal(CASES, size)
first = (first / first.square().mean(-1, keepdim=True).sqrt()).float().requires_grad_()
added = normal(steps, CASES, size).float() * inputs
last = normal(CASES, size).float()


def magnitudes(values):
    return torch.stack([v.detach().double().square().mean().sqrt() for v in values])


forth, back = [], []
for norm in (lambda a: a, lambda a: F.layer_norm(a, a.shape[-1:])):
    states = [first]
    for x in added:
        states.append(norm(states[-1] @ weight.T + x))
    gradients = torch.autograd.grad((states[-1] * last).sum(), states)
    forth.append(magnitudes(states))
    back.append(magnitudes(gradients) / magnitudes(gradients)[-1])
print(torch.stack(forth), torch.stack(back))
