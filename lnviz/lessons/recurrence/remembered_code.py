import torch

# Running statistics of each step seen in training: a row per step, a column per unit.
mean = torch.tensor([[0.1, -0.2], [0.0, 0.3]])  # «mean»
var = torch.tensor([[1.0, 0.5], [0.25, 0.04]])  # «var»
statistic = "std"  # «statistic»
step = 3  # «sequence step»

used = min(step, len(mean)) - 1
print({"mean": mean, "std": var.sqrt()}[statistic][used])
