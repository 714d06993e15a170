import torch
from torch import nn

x = torch.tensor([[0.1, 2.7, -0.6, 0.7, 0.3, -0.3]])  # «x»
gain = 2.0  # «gain»
bias = 1.0  # «bias»
features = slice(None)  # «applied to»

norm = nn.LayerNorm(x.shape[1])
with torch.no_grad():
    norm.weight[features] = gain
    norm.bias[features] = bias
print(norm(x))
