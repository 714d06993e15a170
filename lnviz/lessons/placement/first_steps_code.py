from pydoc_data.topics import topics  # the figure has those of Python 3.11

import torch
from torch import nn
from torch.nn.functional import cross_entropy

warm_up, steps = False, 20  # «warm-up», «training steps»
LAYERS, WIDTH, HEADS, INNER, CONTEXT, BATCH = 12, 32, 2, 64, 16, 8
RATE, RISING = 0.003, 200

text = "".join(topics[name] for name in sorted(topics))
alphabet = sorted(set(text))
codes = torch.tensor([alphabet.index(character) for character in text])
mask = nn.Transformer.generate_square_subsequent_mask(CONTEXT)


class Model(nn.Module):
    def __init__(self, is_pre):
        super().__init__()
        self.embedding = nn.Embedding(len(alphabet), WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                WIDTH, HEADS, INNER, dropout=0.0, batch_first=True, norm_first=is_pre
            )
            for _ in range(LAYERS)
        )
        self.final = nn.LayerNorm(WIDTH) if is_pre else nn.Identity()
        self.unembedding = nn.Linear(WIDTH, len(alphabet))

    def forward(self, x):
        h = self.embedding(x) + self.positions.weight
        for layer in self.layers:
            h = layer(h, src_mask=mask, is_causal=True)
        return self.unembedding(self.final(h))


# Length of the gradient of each layer's second feed-forward matrix, after some steps of Adam.
def gradients(is_pre):
    torch.manual_seed(0)
    model = Model(is_pre)
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(steps + 1):
        begins = torch.randint(len(codes) - CONTEXT, (BATCH, 1))
        passages = codes[begins + torch.arange(CONTEXT + 1)]
        optimizer.zero_grad()
        cross_entropy(model(passages[:, :-1]).flatten(0, 1), passages[:, 1:].flatten()).backward()
        if step < steps:
            optimizer.param_groups[0]["lr"] = RATE * (min(1, (step + 1) / RISING) if warm_up else 1)
            optimizer.step()
    return torch.stack([layer.linear2.weight.grad.norm() for layer in model.layers])


# From the first layer to the last: Post-LN, then Pre-LN. The figure has several networks.
print(gradients(False), gradients(True))
