import torch
from torch.nn.functional import layer_norm

example = torch.tensor([0.1, 2.7, -0.6, 0.7, 0.3, -0.3])  # «example»
gain = torch.ones(6)  # «gain»
bias = torch.zeros(6)  # «bias»
shift = 2.0  # «shift»
scale = 1.5  # «scale»
x = scale * example + shift

mean = x.mean()
var = (x - mean).square().mean()
x_hat = (x - mean) / (var + 1e-5).sqrt()
torch.testing.assert_close(gain * x_hat + bias, layer_norm(x, x.shape, gain, bias, eps=1e-5))

# The values after the step that the figure shows.
after = x - mean  # «step»
print(after)
