import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import cross_entropy, pad

cell = "LSTM"  # «network»
length = 32  # «sequence length»
H, BATCH, RATE, LONGEST_WAIT = 32, 8, 0.01, 8
BATCHES = 10  # a few, to see it run; the networks of the figure learned from 1,000

torch.manual_seed(0)
digits = load_digits()
# Eight steps of eight pixels; every fifth image is kept for testing.
images, labels = torch.tensor(digits.images / 16).float(), torch.tensor(digits.target)
kept = torch.arange(len(images)) % 5 == 0

# PyTorch's own cell, without a norm; the figure before this one has the code with LayerNorm.
layer, head = getattr(nn, cell)(8, H, batch_first=True), nn.Linear(H, 10)


def scores(sequences, steps):
    # After the digit, there are empty steps, in which the cell must remember it.
    states, _ = layer(pad(sequences, (0, 0, 0, steps - 8)))
    return head(states[:, -1])


optimizer = torch.optim.Adam([*layer.parameters(), *head.parameters()], lr=RATE)
for _ in range(BATCHES):
    batch = (~kept).nonzero().flatten()[torch.randint(int((~kept).sum()), (BATCH,))]
    steps = 8 + int(torch.randint(LONGEST_WAIT + 1, ()))
    loss = cross_entropy(scores(images[batch], steps), labels[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

with torch.no_grad():
    right = (scores(images[kept], length).argmax(-1) == labels[kept]).float().mean()
print(right)
