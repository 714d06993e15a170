import torch
from torch import nn
from torch.nn import functional as F

x = torch.tensor([0.1, 2.7, -0.6, 0.7, 0.3, -0.3])  # «x»
gain = 1.5  # «gain»
bias = 0.4  # «bias»
nonlinearity = F.relu  # «nonlinearity»

norm = nn.LayerNorm(len(x))  # eps=1e-5, biased variance
nn.init.constant_(norm.weight, gain)
nn.init.constant_(norm.bias, bias)
print(nonlinearity(norm(x)))
