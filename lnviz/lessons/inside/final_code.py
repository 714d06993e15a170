import torch

torch.manual_seed(0)
WIDTH, VOCABULARY = 576, 1000

x = 25 * torch.randn(WIDTH)  # a residual stream as large as SmolLM2's before its final norm
w = 1 + torch.randn(WIDTH)  # the norm's gains
unembedding = torch.randn(VOCABULARY, WIDTH) / WIDTH**0.5
rms = x.square().mean().sqrt()

read = w * x / rms  # «final norm»
# The most likely token and its probability.
print((unembedding @ read).softmax(0).max(0))
