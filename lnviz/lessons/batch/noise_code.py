import torch
from sklearn.datasets import load_digits
from torch.nn import functional as F

size = 16  # «batch size»
digit = 3  # «digit»
BATCHES = 200

torch.manual_seed(0)
images = torch.tensor(load_digits().data / 16).float()
a = images @ (0.375 * torch.randn(64, 64)).T  # pre-activations of 64 units

one = a[digit : digit + 1]  # the first ten images are the digits 0 to 9
others = torch.cat([a[:digit], a[digit + 1 :]])
outputs = []
for _ in range(BATCHES):
    batch = torch.cat([one, others[torch.randperm(len(others))[: size - 1]]])
    y = (batch - batch.mean(0)) / (batch.var(0, correction=0) + 1e-5).sqrt()
    outputs.append(y[0, 0])  # of the one image, at unit 1
print(torch.stack(outputs).mean(), torch.stack(outputs).std(correction=0))
print(F.layer_norm(one, (64,))[0, 0])
