from pydoc_data.topics import topics

import torch
from torch import nn
from torch.nn.functional import cross_entropy

is_pre, warm_up, rate = False, False, 0.003  # «run»
LAYERS, WIDTH, CONTEXT, BATCH = 6, 32, 16, 8
BATCHES, RISING = 20, 200  # a few, to see it run; the models of the figure learned from 600

text = "".join(topics[name] for name in sorted(topics))
alphabet = sorted(set(text))
codes = torch.tensor([alphabet.index(character) for character in text])
codes = codes[: round(0.9 * len(codes))]  # the rest is there to test with


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(len(alphabet), WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, 2, 64, 0.0, batch_first=True, norm_first=is_pre)
            for _ in range(LAYERS)
        )
        # Queries, keys and values are one matrix here; the figure's models drew them apart.
        for name, parameter in self.layers.named_parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)
        self.final = nn.LayerNorm(WIDTH) if is_pre else nn.Identity()
        self.readout = nn.Linear(WIDTH, len(alphabet))

    def forward(self, x):
        later = nn.Transformer.generate_square_subsequent_mask(CONTEXT)
        h = self.embedding(x) + self.places.weight
        for layer in self.layers:
            h = layer(h, src_mask=later, is_causal=True)
        return self.readout(self.final(h))


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.Adam(model.parameters())
losses = []
for step in range(BATCHES):
    optimizer.param_groups[0]["lr"] = rate * (min(1, (step + 1) / RISING) if warm_up else 1)
    begins = torch.randint(len(codes) - CONTEXT, (BATCH, 1))
    passages = codes[begins + torch.arange(CONTEXT + 1)]
    loss = cross_entropy(model(passages[:, :-1]).flatten(0, 1), passages[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())
print(torch.stack(losses))
