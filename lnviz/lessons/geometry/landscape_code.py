from itertools import pairwise

import torch
from sklearn.datasets import load_digits
from torch.nn import functional as F

center = False  # «center»
rate = 0.1  # «rate»
training_step = 20  # «training step»
lengths = [0.0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.4, 2.8, 3.2, 3.6, 4.0]

digits = load_digits()
x = torch.from_numpy(digits.data).float() / 16
if center:
    x = x - x.mean(0)
x, y = x.double(), torch.from_numpy(digits.target)
generator = torch.Generator().manual_seed(0)
batches = torch.randint(len(x), (200, 128), generator=generator)


def logits(x, weights, biases, gains, norm):
    for i, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        x = (torch.relu(x) if i else x) @ weight.T
        if norm == "none" or i == len(gains):
            x = x + bias
        elif norm == "batch":
            x = F.batch_norm(x, None, None, gains[i], bias, training=True)
        else:
            x = F.layer_norm(x, x.shape[1:], gains[i], bias)
    return x


curves = []
for norm in ("none", "batch", "layer"):
    torch.manual_seed(0)
    sizes = [64, 32, 32, 32, 32, 10]
    weights = [
        torch.randn(after, before) * (2 / before) ** 0.5 for before, after in pairwise(sizes)
    ]
    biases = [torch.zeros(size) for size in sizes[1:]]
    gains = [torch.ones(size) for size in sizes[1:-1]]
    parameters = [p.double() for p in (*weights, *biases, *gains)]

    def loss(parameters, rows, norm=norm):
        parts = parameters[:5], parameters[5:10], parameters[10:]
        return F.cross_entropy(logits(x[rows], *parts, norm), y[rows])

    for rows in batches[: training_step + 1]:
        here = [p.requires_grad_() for p in parameters]
        slopes = torch.autograd.grad(loss(here, rows), here, materialize_grads=True)
        here = [p.detach() for p in here]
        parameters = [p - rate * slope for p, slope in zip(here, slopes, strict=True)]
    down = [
        [p - length * rate * slope for p, slope in zip(here, slopes, strict=True)]
        for length in lengths
    ]
    curves.append(torch.stack([loss(point, rows) for point in down]))
print(torch.stack(curves))
