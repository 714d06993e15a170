import torch
from torch.nn.functional import layer_norm

layers = 12  # «layers»
width = 64  # «width»
POSITIONS = 16

torch.manual_seed(0)
x = torch.randn(POSITIONS, width)
weights = torch.randn(layers, 4, width, width) / width**0.5


def norm(h):
    return layer_norm(h, (width,))


def pre(h, scaling):
    sizes = [h.square().mean()]
    for number, (values, output, first, second) in enumerate(weights, 1):
        c = number**-0.5 if scaling else 1.0
        # Queries and keys are 0, so every position gets the mean of all values.
        h = h + (c * norm(h) @ values.T @ output.T).mean(0)
        h = h + torch.relu(c * norm(h) @ first.T) @ second.T
        sizes.append(h.square().mean())
    return torch.stack(sizes)


# Mean square of the residual stream after 0, 1, 2, ... layers: Pre-LN, then LayerNorm Scaling. One
# network each; the figure has the mean of several.
print(pre(x, scaling=False), pre(x, scaling=True))
