import torch
from torch.nn import functional as F

x = torch.tensor([2.0, -1.0, 0.5, 1.0])  # «x»
rest = torch.tensor([0.4, 0.2, -1.4, 0.8])  # «rest»
gain = torch.tensor([1.1, 0.9, 1.3, 0.8])  # «gain»
equal = 1.0  # «equal part»
parallel = -1.5  # «parallel part»
variant = "both"  # «variant»

arriving = equal + parallel * F.layer_norm(x, x.shape) + rest

x.requires_grad_()
mean, var = x.mean(), x.var(correction=0)
if variant in ("mean", "both"):
    mean = mean.detach()
if variant in ("variance", "both"):
    var = var.detach()
y = (x - mean) / (var + 1e-5).sqrt()
if variant == "ada":
    y = (1 - 0.1 * y).detach() * y
if variant == "layer":
    y = gain * y
if variant == "none":
    y = x
y.backward(arriving)
print(x.grad)
