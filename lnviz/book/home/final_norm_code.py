import torch
from torch.nn.functional import rms_norm

has_final_norm = True  # «final norm»
size = 25.8  # «size»
width = 576  # «width»

# Random numbers stand for the running sum, and for the vocabulary's matrix.
torch.manual_seed(1)
total = size * torch.randn(width)
vocabulary = torch.randn(1000, width) / width**0.5

handed = rms_norm(total, (width,)) if has_final_norm else total
chances = (vocabulary @ handed).softmax(-1)

# What goes on to the words, and the probability of the likeliest.
print(handed.square().mean().sqrt(), chances.max())
