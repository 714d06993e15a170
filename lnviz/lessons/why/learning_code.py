import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import cross_entropy

scale, rate = 1.0, 0.001  # «run»
LAYERS, UNITS, BATCH = 20, 64, 32
BATCHES = 10  # a few, to see it run; the networks of the figure learned from 400

digits = load_digits()
x, names = torch.tensor(digits.data / 16).float(), torch.tensor(digits.target)


def network(norm):
    layers = []
    for _ in range(LAYERS):
        linear = nn.Linear(UNITS, UNITS, bias=False)
        nn.init.normal_(linear.weight, std=scale * (2 / UNITS) ** 0.5)
        layers += [linear, norm(), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(UNITS, 10))


def losses(norm):
    torch.manual_seed(0)
    model = network(norm)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for _ in range(BATCHES):
        batch = torch.randint(len(x), (BATCH,))
        loss = cross_entropy(model(x[batch]), names[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


plain = torch.tensor(list(losses(nn.Identity)))
normed = torch.tensor(list(losses(lambda: nn.LayerNorm(UNITS, elementwise_affine=False))))
print(plain, normed)
