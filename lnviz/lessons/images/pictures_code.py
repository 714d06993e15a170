import torch
from sklearn.datasets import load_sample_images
from torch import nn
from torch.nn import functional as F

contrast = 1.0  # «contrast»
brightness = 0.0  # «brightness»
changed = slice(0, 3)  # «changed channels»
crops = {"tower": (0, 25, 20, 380), "lake": (0, 60, 300, 340)}  # «crops»

photos = [torch.tensor(photo).movedim(-1, 0) / 255 for photo in load_sample_images().images]
parts = [photos[i][:, r : r + side, c : c + side] for i, r, c, side in crops.values()]
x = torch.stack([F.adaptive_avg_pool2d(part, 48) for part in parts])  # N,C,H,W
x[0, changed] = contrast * x[0, changed] + brightness

norms = (nn.BatchNorm2d(3), nn.LayerNorm((3, 48, 48)), nn.InstanceNorm2d(3))
# What is left of the first photograph's brightness and contrast, under each norm.
left = torch.stack([norm(x)[0] for norm in norms])  # norms,C,H,W
print(torch.stack([left.mean((1, 2, 3)), left.std((1, 2, 3), correction=0)]))
