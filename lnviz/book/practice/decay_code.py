import torch
from torch import nn

decay = 0.2  # «weight decay»
acts = "gain"  # «what acts»

random = torch.Generator().manual_seed(0)
x_hat = nn.functional.layer_norm(torch.randn(128, 16, generator=random), (16,))
start, wanted = torch.randn(2, 16, 16, generator=random) / 4
target = x_hat @ wanted.T + 0.1 * torch.randn(128, 16, generator=random)

gain, weight = nn.Parameter(torch.ones(16)), nn.Parameter(start.clone())
groups = [
    {"params": [gain], "weight_decay": decay},
    {"params": [weight], "weight_decay": 0.0 if acts == "gain" else decay},
]
optimizer = torch.optim.AdamW(groups, lr=0.01)
pull = 0.0 if acts == "alone" else 1.0
for _ in range(1000):
    batch = torch.randint(128, (32,), generator=random)
    loss = (x_hat[batch] * gain @ weight.T - target[batch]).square().mean()
    optimizer.zero_grad()
    (pull * loss).backward()
    optimizer.step()

rms = [p.square().mean().sqrt() for p in (gain, weight, start)]
print(torch.stack([rms[0], rms[1] / rms[2]]))
