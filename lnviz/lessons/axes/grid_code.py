import numpy
import torch

x = numpy.array([[0.1, 2.7, -0.6], [-0.8, 1.8, 1.4]], dtype="float32")  # «x»
batch_size = 2  # «batch size»
groups, over, center = 1, 2, True  # «norm»
step = "standardize"  # «step»

x = torch.from_numpy(x)[:batch_size]  # B,D
cases, features = x.shape
gain = torch.tensor([1.5, 0.5, 1.0, 2.0])[torch.arange(features) % 4]
bias = torch.tensor([0.0, 0.5, -0.5])[torch.arange(features) % 3]

parts = x.reshape(cases, groups, -1)  # B,groups,D/groups
mean = parts.mean(over, keepdim=True) * center
centered = parts - mean
var = centered.square().mean(over, keepdim=True)
x_hat = centered / (var + 1e-5).sqrt()
y = gain * x_hat.reshape(x.shape) + bias * center

steps = {"mean": centered, "variance": centered.square(), "standardize": x_hat, "gain and bias": y}
print(steps[step].reshape(x.shape))
