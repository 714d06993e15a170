import torch

torch.manual_seed(0)
WIDTH, VOCABULARY = 576, 1000

x = 25 * torch.randn(WIDTH)  # a stream as large as SmolLM2's is in the end
w = 1 + torch.randn(WIDTH)  # the gains of a norm
scores = torch.randn(VOCABULARY, WIDTH) / WIDTH**0.5
size = x.square().mean().sqrt()

read = w * x / size  # «final norm»
# The most probable token and its probability.
print((scores @ read).softmax(0).max(0))
