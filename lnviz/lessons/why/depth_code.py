import torch
from sklearn.datasets import load_digits
from torch.nn import functional as F

scale = 0.9  # «weight scale»
f = torch.relu  # «nonlinearity»
seed = 0  # «seed»
pair = (0, 1)  # «pair»

# Two images of 8 x 8 pixels, and fifty square layers.
x = torch.tensor(load_digits().data[list(pair)] / 16).float()
weights = torch.randn(50, 64, 64, generator=torch.Generator().manual_seed(seed))
# At scale 1 this keeps the size: half of what goes into a ReLU does not come out.
weights *= scale * (2 if f is torch.relu else 1) ** 0.5 / 64**0.5


def measured(h):
    return h.square().mean().sqrt(), F.normalize(h, dim=-1, eps=0).prod(0).sum()


plain, normed, rows = x, x, [(*measured(x), *measured(x))]
for weight in weights:
    plain = f(plain @ weight.T)
    normed = f(F.layer_norm(normed @ weight.T, (64,)))
    rows.append((*measured(plain), *measured(normed)))

# After some layers: size and likeness of the two without a norm, then with LayerNorm.
print(torch.tensor(rows)[[0, 1, 2, 5, 10, 20, 50]])
