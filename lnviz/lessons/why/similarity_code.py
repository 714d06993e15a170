import torch
from sklearn.datasets import load_digits
from torch.nn import functional as F

residual = False  # «wiring»
f = torch.relu  # «nonlinearity»
seed = 0  # «seed»

digits = load_digits()
h, names = torch.tensor(digits.data[:30] / 16).float(), torch.tensor(digits.target[:30])
same = (names[:, None] == names) & ~torch.eye(30, dtype=torch.bool)
different = names[:, None] != names
weights = torch.randn(50, 64, 64, generator=torch.Generator().manual_seed(seed))
weights *= (2 if f is torch.relu else 1) ** 0.5 / 64**0.5


def norm(h):
    return F.layer_norm(h, (64,))


def cosines(h):
    pairs = F.cosine_similarity(h[:, None], h, dim=-1)
    return torch.stack([pairs[different].mean(), pairs[same].mean()])


rows = [cosines(h)]
for weight in weights:
    h = h + f(norm(h)) @ weight.T if residual else f(norm(h @ weight.T))
    rows.append(cosines(h))

# After every layer: the mean cosine of different digits, then of the same digit.
print(*torch.stack(rows, 1))
