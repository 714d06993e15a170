from pydoc_data.topics import topics  # the figure has those of Python 3.11

import torch
from torch import nn
from torch.nn import functional as F

shown = "all"  # «diagram»
kind = "layer"  # «kind»
block = 6  # «block»
factor = 1.0  # «weight factor»
L, D, H, T, INNER = 12, 64, 4, 64, 256

# Norms: before, after and on the sum of a sublayer, after the embeddings, before the unembedding.
placements = {
    "post": (0, 0, 1, 0, 0),
    "pre": (1, 0, 0, 0, 1),
    "sandwich": (1, 1, 0, 0, 1),
    "peri": (1, 1, 0, 1, 1),
    "olmo2": (0, 1, 0, 0, 1),
    "deepnorm": (0, 0, 1, 0, 0),
}
alphabet = sorted(set("".join(topics.values())))
passage = topics["for"].split("\n\n", 1)[1][:T]
codes = torch.tensor([alphabet.index(character) for character in passage])


def norm(x, stands=True):
    if not stands:
        return x
    return (
        F.layer_norm(x, x.shape[-1:]) if kind == "layer" else F.rms_norm(x, x.shape[-1:], eps=1e-5)
    )


def weights(beta):
    torch.manual_seed(0)
    embeddings = nn.Embedding(len(alphabet), D), nn.Embedding(T, D)
    maps = [(D, D)] * 4 + [(D, INNER), (INNER, D)]
    blocks = [[nn.Linear(*sizes) for sizes in maps] for _ in range(L)]
    for linears in blocks:
        for number, linear in enumerate(linears):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)
            linear.weight.data *= beta if number > 1 else 1.0
    return embeddings, blocks


def attend(x, linears, factor=1.0, qk_norm=False):
    query, key, value, out = linears[:4]
    q, k, v = (linear(x).unflatten(-1, (H, -1)).transpose(0, 1) for linear in (query, key, value))
    q, k = factor * q, factor * k
    normed_q, normed_k = norm(q, qk_norm), norm(k, qk_norm)
    scores = normed_q @ normed_k.mT / (D // H) ** 0.5
    later = torch.ones(T, T, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(-1)
    mixed = (weights @ v).transpose(0, 1).flatten(1)
    seen = [each.masked_fill(later, torch.nan) for each in (scores, weights)]
    return [x, q, k, normed_q, normed_k, v, *seen, mixed, out(mixed)]


def feed_forward(x, linears):
    return linears[5](F.gelu(linears[4](x)))


def forward(placement):
    before, inside, after, embedding, final = placements[placement]
    deep = placement == "deepnorm"
    alpha, beta = ((2 * L) ** 0.25, (8 * L) ** -0.25) if deep else (1.0, 1.0)
    (characters, places), blocks = weights(beta)
    embedded = characters(codes) + places.weight
    x = norm(embedded, embedding)
    for number, linears in enumerate(blocks, 1):
        way, attention = [embedded, x], linears[:4]
        for sublayer in ("attention", "feed-forward"):
            h = norm(x, before)
            y = attend(h, attention)[-1] if sublayer == "attention" else feed_forward(h, linears)
            branch = norm(y, inside)
            total = alpha * x + branch
            x = norm(total, after)
            way += [h, y, branch, total, x]
        if number == block:
            found = way, attention
    return [*found[0], norm(x, final)], found[1]


def statistics(x):
    length = x.square().nansum(-1).sqrt().mean()
    mean = x.nanmean()
    return torch.stack([mean, (x - mean).square().nanmean(), length])


results = []
for placement in ["pre"] if shown == "qk" else placements if shown == "all" else [shown]:
    tensors, attention = forward(placement)
    if shown == "qk":
        tensors = [t for qk in (False, True) for t in attend(tensors[2], attention, factor, qk)]
    results.append(torch.stack([statistics(x) for x in tensors]))
# Mean, variance and length of each tensor, one after the other.
print(torch.cat(results))
