import torch
from torch.nn import functional as F

learning_rate = 10.0  # «learning rate»
steps = 100

generator = torch.Generator().manual_seed(0)


def normal(*shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


# 24 examples of 5 inputs, 3 units.
x = normal(5) / 2 + normal(24, 5)
W = normal(3, 5) / 5**0.5
g = torch.rand(3, generator=generator, dtype=torch.float64) + 0.5
b = normal(3) / 2

# The targets: the predictions of another model, without a norm.
generator.manual_seed(1)
targets = (x @ normal(*W.shape).T).softmax(-1)


def outputs(W, norm):
    return g * norm(x @ W.T) + b


lengths, losses = [], []
for norm in (lambda a: a, lambda a: F.layer_norm(a, (3,), eps=0)):
    w = W.clone()
    for step in range(steps + 1):
        w.requires_grad_()
        loss = F.cross_entropy(outputs(w, norm), targets)
        (slope,) = torch.autograd.grad(loss, w)
        w = w.detach()
        if step < steps:
            w = w - learning_rate * slope
    lengths.append(w.norm())
    losses.append(loss.detach())
print(torch.stack([torch.stack(lengths), torch.stack(losses)]))  # no norm, LayerNorm
