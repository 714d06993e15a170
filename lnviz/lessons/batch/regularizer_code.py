import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import cross_entropy

size = 16  # «mini-batch»
EPOCHS = 2  # a few, to see it run; the networks of the figure saw their digits 40 times

torch.manual_seed(0)
digits = load_digits()
images, classes = torch.tensor(digits.data / 16).float(), torch.tensor(digits.target)
train = torch.arange(300) * len(images) // 300
test = torch.tensor(sorted(set(range(len(images))) - set(train.tolist())))


def hidden(inputs):
    return nn.Linear(inputs, 64), nn.BatchNorm1d(64), nn.ReLU()


net = nn.Sequential(*hidden(64), *hidden(64), nn.Linear(64, 10))
optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
for _ in range(EPOCHS):
    for batch in train[torch.randperm(len(train))].split(size):
        if len(batch) == size:
            optimizer.zero_grad()
            cross_entropy(net(images[batch]), classes[batch]).backward()
            optimizer.step()

net.eval()
with torch.no_grad():
    wrong = [
        (net(images[part]).argmax(1) != classes[part]).float().mean() for part in (train, test)
    ]
print(wrong[1] - wrong[0], wrong[0], wrong[1])
