import torch
from sklearn.datasets import load_digits
from torch import nn

momentum = 0.1  # «momentum»
seen = 10  # «batch»
cases = 16  # «cases»
change = "shift"  # «name»
amount = 0.0  # «value»

torch.manual_seed(0)
images = torch.tensor(load_digits().data / 16).float()
a = images @ torch.randn(64, 64) * 0.375  # pre-activations of 64 units
test, train = a[:1], a[1:]

norm = nn.BatchNorm1d(64, momentum=momentum)
epoch = train[torch.randperm(len(train))].split(cases)
for step in range(seen):
    norm(epoch[step % (len(train) // cases)])  # training: keeps the running averages

test = test + amount if change == "shift" else test * amount
norm.eval()  # inference: uses them
print(norm(test)[0, :6], nn.LayerNorm(64)(test)[0, :6])
