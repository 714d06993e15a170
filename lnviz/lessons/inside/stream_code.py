import torch
from torch.nn.functional import layer_norm, rms_norm

layers = 30  # «layers»
width = 576  # «width»

torch.manual_seed(0)
matrices = torch.randn(layers, width, width) / width**0.5
pre = post = torch.randn(width)
streams = []

# A random matrix stands for what a layer computes.
for matrix in matrices:
    pre = pre + matrix @ rms_norm(pre, (width,))  # nothing normalizes the stream itself
    post = layer_norm(post + matrix @ post, (width,))  # the norm stands on the stream
    streams.append(torch.stack([pre, post]))

# The stream's root mean square after every layer: Pre-LN, then Post-LN.
print(torch.stack(streams).square().mean(-1).sqrt())
