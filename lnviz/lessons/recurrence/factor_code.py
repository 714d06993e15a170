import torch
from torch.nn import functional as F

SIZE, STEPS = 32, 100
factor = 1.12  # «per-step factor»

generator = torch.Generator().manual_seed(0)
turn, _ = torch.linalg.qr(torch.randn(SIZE, SIZE, generator=generator, dtype=torch.float64))
h = torch.randn(SIZE, generator=generator, dtype=torch.float64)
h = (h / h.square().mean().sqrt()).float()
weight = (factor * turn).float()

plain, normed = [h], [h]
for _ in range(STEPS):
    plain.append(weight @ plain[-1])
    normed.append(F.layer_norm(weight @ normed[-1], h.shape))


def magnitude(states):
    return torch.stack(states).square().mean(1).sqrt()


print(torch.stack([magnitude(plain), magnitude(normed)]))
