import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F

filters = torch.randn(6, 9)  # «filters»
tokens = False  # «tokens»
groups = 2  # «groups»
norm = nn.LayerNorm((6, 3, 3))  # «norm»
cell = (0, 0, 0, 1)  # «cell»

images = torch.tensor(load_digits().images[:2] / 16).float()[:, None]  # N,1,8,8
x = F.avg_pool2d(F.conv2d(images, filters.view(6, 1, 3, 3)), 2)  # N,C,H,W
if tokens:
    x = x.flatten(2).mT  # B,T,D: every position is a token

# A new module has gain 1 and bias 0. In training, BatchNorm uses the batch's statistics.
print(norm(x)[cell])
