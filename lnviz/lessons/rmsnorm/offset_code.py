import torch
from torch.nn import functional as F

row = torch.tensor([0.5, 2.0, -1.0, 0.25])  # «row»
offset = 1.0  # «offset»
centered = False  # «row comes in»

x = row + offset
if centered:
    x = x - x.mean()

layer = F.layer_norm(x, x.shape, eps=1e-5)
rms = F.rms_norm(x, x.shape, eps=1e-5)
print(layer, rms)
