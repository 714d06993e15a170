import torch
from sklearn.datasets import load_digits
from torch.nn import functional as F

scale = 0.9  # «weight scale»
f = torch.relu  # «nonlinearity»
seed = 0  # «seed»

# Thirty images of 8 x 8 pixels, and fifty square layers.
x = torch.tensor(load_digits().data[:30] / 16).float()
weights = torch.randn(50, 64, 64, generator=torch.Generator().manual_seed(seed))
# At scale 1, this keeps the size: ReLU drops half of the mean square.
weights *= scale * (2 if f is torch.relu else 1) ** 0.5 / 64**0.5


def rms(h):
    return h.square().mean().sqrt()


plain, normed = [x], [x]
for weight in weights:
    plain.append(f(plain[-1] @ weight.T))
    normed.append(f(F.layer_norm(normed[-1] @ weight.T, (64,))))

# The size after every layer, without a norm and with LayerNorm.
print(torch.stack([rms(h) for h in plain]), torch.stack([rms(h) for h in normed]))
