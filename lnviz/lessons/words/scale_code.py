import torch
from torch.nn import functional as F

scale = 1.5  # «scale»

x = scale * torch.tensor([0.1, 2.7, -0.6, 0.7])
y = F.layer_norm(x, x.shape)
print(x.std(correction=0), y.std(correction=0))
