import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import cross_entropy

batch_size = 128  # «batch size»
steps = 300  # «step»
before_softmax = False  # «BatchNorm placement»

digits = load_digits()
x, names = torch.tensor(digits.data / 16).float(), torch.tensor(digits.target)
turn = torch.arange(len(x)) % 5
train, validation = turn > 1, turn == 1  # the rest is for the end


def network(norm, last=nn.Identity):
    return nn.Sequential(
        *(nn.Linear(64, 100), norm(100), nn.ReLU()),
        *(nn.Linear(100, 100), norm(100), nn.ReLU()),
        *(nn.Linear(100, 10), last(10)),
    )


def error(norm, last=nn.Identity):
    torch.manual_seed(0)
    model = network(norm, last)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    for _ in range(steps):
        batch = torch.randint(int(train.sum()), (batch_size,))
        loss = cross_entropy(model(x[train][batch]), names[train][batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    wrong = model(x[validation]).argmax(1) != names[validation]
    return 100 * wrong.float().mean()  # %


errors = [error(nn.Identity), error(nn.LayerNorm)]
if batch_size > 1:  # one example has no variance
    errors.append(error(nn.BatchNorm1d, nn.BatchNorm1d if before_softmax else nn.Identity))
print(*errors)
