import torch
from torch import nn

example = torch.tensor([0.1, 2.7, -0.6, 0.7, 0.3, -0.3])  # «example»
shift = 2.0  # «shift»
scale = 1.5  # «scale»

x = scale * example + shift
print(nn.LayerNorm(len(x))(x))  # eps=1e-5; gain 1 and bias 0 before training
