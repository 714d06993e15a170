import torch

x = [[0.1, 2.7, -0.6], [-0.8, 1.8, 1.4], [0.8, 2.3, 0.2]]  # «x»
case_scale = 1.0  # «example scale»
eps = 1e-5  # «epsilon»

x = torch.tensor(x)
x[1] *= case_scale  # one example


def normalize(x, over):  # PyTorch's batch_norm refuses an epsilon of 0
    mean = x.mean(over, keepdim=True)
    var = x.var(over, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


print(
    normalize(x, 1),  # LayerNorm: over the units of each example
    normalize(x, 0),  # BatchNorm: over the examples of each unit
)
