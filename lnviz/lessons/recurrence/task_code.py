import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import cross_entropy, pad

cell = "LSTM"  # «cells»
H, BATCH, RATE, LONGEST_WAIT = 32, 8, 0.01, 8
BATCHES = 10  # a few, to see it run; the networks of the figure learned from 1,000


def normed(inputs, units):
    linear = nn.Linear(inputs, units, bias=False)
    nn.init.uniform_(linear.weight, -(H**-0.5), H**-0.5)
    return nn.Sequential(linear, nn.LayerNorm(units))


class LSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.from_input, self.from_state = normed(8, 4 * H), normed(H, 4 * H)
        self.bias = nn.Parameter(torch.empty(4 * H).uniform_(-(H**-0.5), H**-0.5))
        self.norm_cell = nn.LayerNorm(H)
        self.head = nn.Linear(H, 10)

    def forward(self, sequences):
        h = c = torch.zeros(len(sequences), H)
        for x in sequences.unbind(1):
            i, f, g, o = (self.from_input(x) + self.from_state(h) + self.bias).chunk(4, -1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * self.norm_cell(c).tanh()
        return self.head(h)


class GRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.gates_input, self.gates_state = normed(8, 2 * H), normed(H, 2 * H)
        self.new_input, self.new_state = normed(8, H), normed(H, H)
        self.head = nn.Linear(H, 10)

    def forward(self, sequences):
        h = torch.zeros(len(sequences), H)
        for x in sequences.unbind(1):
            r, z = (self.gates_input(x) + self.gates_state(h)).sigmoid().chunk(2, -1)
            candidate = (self.new_input(x) + r * self.new_state(h)).tanh()
            h = (1 - z) * h + z * candidate
        return self.head(h)


torch.manual_seed(0)
digits = load_digits()
# Eight steps of eight pixels; every fifth image is kept for testing.
images, labels = torch.tensor(digits.images / 16).float(), torch.tensor(digits.target)
kept = torch.arange(len(images)) % 5 == 0
model = {"LSTM": LSTM, "GRU": GRU}[cell]()
optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
for _ in range(BATCHES):
    batch = (~kept).nonzero().flatten()[torch.randint(int((~kept).sum()), (BATCH,))]
    wait = int(torch.randint(LONGEST_WAIT + 1, ()))
    loss = cross_entropy(model(pad(images[batch], (0, 0, 0, wait))), labels[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

with torch.no_grad():
    scores = model(pad(images[kept], (0, 0, 0, LONGEST_WAIT)))
right = (scores.argmax(-1) == labels[kept]).float().mean()
print(cross_entropy(scores, labels[kept]), right)
