from pydoc_data.topics import topics  # the figure has those of Python 3.11

import torch
from torch import nn
from torch.nn import functional as F

placement, warm_up, rate = "post", False, 0.003  # «run»
LAYERS, WIDTH, INNER, HEADS, CONTEXT, BATCH = 6, 32, 64, 2, 16, 8
BATCHES, RISING = 20, 200  # a few, to see it run; the models of the figure learned from 600
DEEPNORM = placement == "deepnorm"
ALPHA, BETA = ((2 * LAYERS) ** 0.25, (8 * LAYERS) ** -0.25) if DEEPNORM else (1.0, 1.0)

text = "".join(topics[name] for name in sorted(topics))
alphabet = sorted(set(text))
codes = torch.tensor([alphabet.index(character) for character in text])
codes = codes[: round(0.9 * len(codes))]  # the rest is there to test with


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x):
        q, k, v = (
            linear(x).unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for linear in (self.query, self.key, self.value)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).flatten(2))


class Residual(nn.Module):
    def __init__(self, sublayer):
        super().__init__()
        self.sublayer, self.norm = sublayer, nn.LayerNorm(WIDTH)

    def forward(self, x):
        if placement == "pre":
            return x + self.sublayer(self.norm(x))
        if placement == "olmo2":
            return x + self.norm(self.sublayer(x))
        return self.norm(ALPHA * x + self.sublayer(x))  # Post-LN and DeepNorm


def block():
    attention = Attention()
    feed_forward = nn.Sequential(nn.Linear(WIDTH, INNER), nn.ReLU(), nn.Linear(INNER, WIDTH))
    for part in (attention, feed_forward):
        for linear in part.children():
            if isinstance(linear, nn.Linear):
                nn.init.xavier_uniform_(linear.weight)
                nn.init.zeros_(linear.bias)
                if linear not in (getattr(part, "query", None), getattr(part, "key", None)):
                    linear.weight.data *= BETA
    return nn.Sequential(Residual(attention), Residual(feed_forward))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(len(alphabet), WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(block() for _ in range(LAYERS)))
        # Where no norm stands on the sum, one stands after the last of them.
        self.final = nn.LayerNorm(WIDTH) if placement in ("pre", "olmo2") else nn.Identity()
        self.readout = nn.Linear(WIDTH, len(alphabet))

    def forward(self, x):
        return self.readout(self.final(self.blocks(self.embedding(x) + self.places.weight)))


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.Adam(model.parameters())
losses = []
for step in range(BATCHES):
    optimizer.param_groups[0]["lr"] = rate * (min(1, (step + 1) / RISING) if warm_up else 1)
    begins = torch.randint(len(codes) - CONTEXT, (BATCH, 1))
    passages = codes[begins + torch.arange(CONTEXT + 1)]
    loss = F.cross_entropy(model(passages[:, :-1]).flatten(0, 1), passages[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())
print(torch.stack(losses))
