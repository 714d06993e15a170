# Rounding errors grow from step to step, so the accuracy may differ from the map's, and between
# machines and numbers of threads.
import math

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

rate, layers, scale, batch = 0.01, 4, 1.0, 32  # «network»
norm = nn.LayerNorm  # «norm»
steps = 600  # «step»
bias = True  # «bias»
residual = True  # «residual»
UNITS, POINTS = 16, 200


def turned(angle):
    return torch.stack([angle.cos(), angle.sin()], 1)


torch.manual_seed(0)
classes = torch.arange(POINTS) % 2  # «classes»
side, along, scatter = classes.float(), torch.rand(len(classes)), torch.randn(len(classes), 2)
x = turned(2 * math.pi * along) + scatter / 10  # «points»

torch.manual_seed(0)
head = torch.randn(UNITS, 1) / math.sqrt(UNITS)
inputs = [2] + [UNITS] * 32
drawn = [math.sqrt(2 / count) * torch.randn(count, UNITS) for count in inputs]


class Residual(nn.Sequential):
    def forward(self, x):
        return x + super().forward(x)


parts = []
for weights in drawn[: layers + residual]:
    linear = nn.Linear(*weights.shape)
    linear.weight.data = scale * weights.T
    linear.bias.data.zero_()
    if residual and parts:
        parts.append(Residual(norm(UNITS), linear, nn.ReLU()))
    elif residual:
        linear.bias = None
        parts.append(linear)
    else:
        if norm is nn.BatchNorm1d or not (bias or norm is nn.Identity):
            linear.bias = None  # BatchNorm would subtract it again
        parts += [linear, norm(UNITS), nn.ReLU()]
last = nn.Linear(UNITS, 1)
last.weight.data = head.T.clone()
last.bias.data.zero_()
model = nn.Sequential(*parts, last)

adam = torch.optim.Adam(model.parameters(), lr=rate)
draws = torch.randint(len(x), (600, 64), generator=torch.Generator().manual_seed(0))
for draw in draws[:steps, :batch]:
    scores = model(x[draw])[:, 0]
    loss = binary_cross_entropy_with_logits(scores, classes[draw].float())
    adam.zero_grad()
    loss.backward()
    adam.step()

model.eval()
with torch.no_grad():
    right = (model(x)[:, 0] > 0) == classes
print(right.float().mean())
