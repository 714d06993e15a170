import torch
from torch.nn.functional import rms_norm

width = 576  # «width»
component = 507  # «component»

# Tokens that have nothing in common but one huge component, of three sizes.
x = torch.randn(3, width)
x[:, component] = torch.tensor([1_000.0, 10_000.0, 100_000.0])

y = rms_norm(x, (width,), eps=1e-5)
# The norm makes the same of all three, and no component can be larger than this root.
print(y[:, component], width**0.5)
# What else a token holds comes out smaller, the larger that one is.
print(torch.cat([y[:, :component], y[:, component + 1 :]], 1).square().mean(1).sqrt())
