import torch
from torch import nn

torch.manual_seed(0)
norm, matrix = nn.RMSNorm(576, eps=1e-5), nn.Linear(576, 1536, bias=False)
nn.init.uniform_(norm.weight, 0.1, 0.4)
x = torch.randn(5, 576)
before = matrix(norm(x))

# Each gain goes into the column of the matrix that reads its component.
with torch.no_grad():
    matrix.weight *= norm.weight
    norm.weight.fill_(1.0)
after = matrix(norm(x))

print((after - before).abs().max())
