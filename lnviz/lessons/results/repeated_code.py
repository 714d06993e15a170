import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import cross_entropy

batch_size = 128  # «batch size»
BATCHES = 10  # a few, to see it run

digits = load_digits()  # enlarged to 28 x 28, in place of MNIST
pixels = torch.tensor(digits.images / 16).float()
x = nn.functional.interpolate(pixels[:, None], (28, 28)).flatten(1)
names = torch.tensor(digits.target)
held = torch.arange(len(x)) % 5 == 0


def network(norm, last=nn.Identity):
    return nn.Sequential(
        *(nn.Linear(784, 1000), norm(1000), nn.ReLU()),
        *(nn.Linear(1000, 1000), norm(1000), nn.ReLU()),
        *(nn.Linear(1000, 10), last(10)),
    )


def error(norm, last=nn.Identity):
    torch.manual_seed(0)
    model = network(norm, last)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    for _ in range(BATCHES):
        batch = torch.randint(int((~held).sum()), (batch_size,))
        loss = cross_entropy(model(x[~held][batch]), names[~held][batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    return 100 * (model(x[held]).argmax(1) != names[held]).float().mean()  # %


# BatchNorm is on all layers, LayerNorm on the hidden ones.
print(error(nn.Identity), error(nn.BatchNorm1d, nn.BatchNorm1d), error(nn.LayerNorm))
