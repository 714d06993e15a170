import torch

learning_rate = 10.0  # «learning rate»
steps = 100
norms = ["none", "batch", "weight", "rms", "layer"]

generator = torch.Generator().manual_seed(0)


def normal(*shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


# 24 cases of 5 inputs, 3 units.
x = normal(5) / 2 + normal(24, 5)
W = normal(3, 5) / 5**0.5
g = torch.rand(3, generator=generator, dtype=torch.float64) + 0.5
b = normal(3) / 2

# What is to be learned: the predictions of another model, without a norm.
generator.manual_seed(1)
targets = (x @ normal(*W.shape).T).softmax(-1)


def natural(W, norm):
    a = x @ W.T
    if norm == "none":
        return g * a + b
    over = 0 if norm == "batch" else 1
    if norm in ("batch", "layer"):
        a = a - a.mean(over, keepdim=True)
    sigma = W.norm(dim=1) if norm == "weight" else a.square().mean(over, keepdim=True).sqrt()
    return g * a / sigma + b


lengths, losses = [], []
for norm in norms:
    w = W.clone()
    for step in range(steps + 1):
        w.requires_grad_()
        loss = torch.nn.functional.cross_entropy(natural(w, norm), targets)
        (slope,) = torch.autograd.grad(loss, w)
        w = w.detach()
        if step < steps:
            w = w - learning_rate * slope
    lengths.append(w.norm())
    losses.append(loss.detach())
print(torch.stack([torch.stack(lengths), torch.stack(losses)]))  # in the order of norms
