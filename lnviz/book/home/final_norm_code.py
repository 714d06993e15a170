import torch
from torch.nn.functional import rms_norm

has_final_norm = True  # «final norm»
size = 25.8  # «size»
width = 576  # «width»

# Random numbers instead of the residual stream and the unembedding matrix.
torch.manual_seed(1)
residual = size * torch.randn(width)
unembedding = torch.randn(1000, width) / width**0.5

output = rms_norm(residual, (width,)) if has_final_norm else residual
probabilities = (unembedding @ output).softmax(-1)

# The vector that is unembedded, and the probability of the likeliest word.
print(output.square().mean().sqrt(), probabilities.max())
