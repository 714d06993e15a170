import torch
from torch.nn import functional as F

first = 1.2  # «first»
second = 0.9  # «second»
third = -0.3  # «third»

a = torch.tensor([first, second, third])
centered = a - a.mean()  # what is left is at right angles to (1, 1, 1)
layer = F.layer_norm(a, a.shape, eps=1e-12)
rms = F.rms_norm(a, a.shape, eps=1e-12)
cosine = layer @ rms / (layer.norm() * rms.norm())  # not a number where either is 0
print(centered, layer, rms, cosine.clamp(-1, 1).acos().rad2deg())
