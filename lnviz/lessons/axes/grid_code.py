import torch
from torch import nn

x = torch.tensor([[0.1, 2.7, -0.6], [-0.8, 1.8, 1.4]])  # «x»
batch_size = 2  # «batch size»
x = x[:batch_size]
gain = torch.tensor([1.5, 0.5, 1.0, 2.0])[torch.arange(x.shape[1]) % 4]
bias = torch.tensor([0.0, 0.5, -0.5])[torch.arange(x.shape[1]) % 3]

# «norm»
print(nn.LayerNorm(3)(x))

# By hand, with a gain and a bias for each feature.
mean = x.mean(1, keepdim=True)
variance = x.var(1, correction=0, keepdim=True)
x_hat = (x - mean) / (variance + 1e-5).sqrt()
y = gain * x_hat + bias
# «»

# The step that the figure shows.
step = x_hat  # «step»
print(step)
