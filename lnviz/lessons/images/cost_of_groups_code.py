import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import cross_entropy

groups = 4  # «number of groups»
batch = 8  # «batch size»
STEPS = 40  # a few, to see it run; the networks of the figure saw 4,320 images each

torch.manual_seed(0)
digits = load_digits()
images, labels = torch.tensor(digits.images / 16).float()[:, None], torch.tensor(digits.target)
kept = torch.arange(len(images)) % 5 == 0  # every fifth image is a test image


def layer(channels):
    # Instead of GroupNorm: nn.BatchNorm2d(16), or no norm and a bias in the convolution.
    convolution = nn.Conv2d(channels, 16, 3, padding=1, bias=False)
    return nn.Sequential(convolution, nn.GroupNorm(groups, 16), nn.ReLU())


ends = nn.AvgPool2d(2), nn.Flatten(), nn.Linear(64, 10)
network = nn.Sequential(layer(1), nn.MaxPool2d(2), layer(16), layer(16), *ends)
# The learning rate is proportional to the batch size.
optimizer = torch.optim.SGD(network.parameters(), lr=0.1 * batch / 32, momentum=0.9)
for _ in range(STEPS):
    drawn = (~kept).nonzero().flatten()[torch.randint(int((~kept).sum()), (batch,))]
    optimizer.zero_grad()
    cross_entropy(network(images[drawn]), labels[drawn]).backward()
    optimizer.step()

with torch.no_grad():
    right = network.eval()(images[kept]).argmax(1) == labels[kept]
print(right.float().mean())
