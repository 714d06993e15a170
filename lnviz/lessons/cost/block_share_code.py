import torch
from torch import nn
from torch.utils.benchmark import Timer

width = 512  # «width»
backward = True  # «gradients»
tokens = 128


def block(Norm):
    torch.manual_seed(0)
    made = nn.TransformerEncoderLayer(
        width, max(1, width // 64), 4 * width, dropout=0.0, norm_first=True, batch_first=True
    )
    made.norm1, made.norm2 = Norm(width), Norm(width)
    return made


class Nothing(nn.Identity):
    eps = 0.0  # the layer around it asks


Norm = nn.LayerNorm  # or nn.RMSNorm
x = torch.randn(1, tokens, width, requires_grad=True)
gradient = torch.randn(1, tokens, width)


def run(part):
    if backward:
        torch.autograd.grad(part(x), (x, *part.parameters()), gradient)
    else:
        with torch.no_grad():
            part(x)


parts = [block(Norm), block(Nothing), Norm(width)]
timers = [Timer("run(part)", globals={"run": run, "part": part}, num_threads=1) for part in parts]
rounds = [[timer.timeit(2).mean for timer in timers] for _ in range(5)]
whole, without, alone = torch.tensor(rounds).median(0).values
print(100 * torch.stack([2 * alone, whole - without]) / whole)  # percent of the block
