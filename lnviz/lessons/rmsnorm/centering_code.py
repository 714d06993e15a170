import copy

import torch
from torch import nn

LAYERS, WIDTH, HEADS, CHARACTERS = 6, 48, 4, 90
torch.manual_seed(0)


def block():
    return nn.TransformerEncoderLayer(
        WIDTH, HEADS, 2 * WIDTH, dropout=0.0, norm_first=True, batch_first=True
    )


blocks = [block() for _ in range(LAYERS)]
model = nn.Sequential(*blocks, nn.LayerNorm(WIDTH), nn.Linear(WIDTH, CHARACTERS))
for parameter in model.parameters():  # as if trained: no gain is 1, no bias is 0
    parameter.data += 0.1 * torch.randn_like(parameter)


def rms_norm(norm):
    new = nn.RMSNorm(WIDTH, eps=norm.eps)
    new.weight = norm.weight
    return new


def without_mean(linear):
    linear.weight -= linear.weight.mean(0)
    linear.bias -= linear.bias.mean()


other = copy.deepcopy(model)
*blocks, final_norm, unembedding = other
with torch.no_grad():
    for block in blocks:
        # The layers that write to the stream no longer add a mean.
        without_mean(block.self_attn.out_proj)
        without_mean(block.linear2)
        # RMSNorm has no bias: LayerNorm's moves into the linear layer after it.
        block.self_attn.in_proj_bias += block.self_attn.in_proj_weight @ block.norm1.bias
        block.linear1.bias += block.linear1.weight @ block.norm2.bias
        block.norm1, block.norm2 = rms_norm(block.norm1), rms_norm(block.norm2)
    unembedding.bias += unembedding.weight @ final_norm.bias
    other[-2] = rms_norm(final_norm)

    x = torch.randn(8, 32, WIDTH)
    change = other(x - x.mean(-1, keepdim=True)) - model(x)
print(change.abs().max())
