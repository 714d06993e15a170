import torch
from torch.nn import functional as F

x = torch.tensor([0.1, 2.7, -0.6, 0.7])  # «x»
scale = 1.0  # «input scale»

x = scale * x
layer = F.layer_norm(x, x.shape)
rms = F.rms_norm(x, x.shape, eps=1e-5)
dyt = torch.tanh(0.5 * x)
print(layer, rms, dyt)
