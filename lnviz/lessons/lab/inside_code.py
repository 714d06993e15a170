import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import cross_entropy

batch_size = 128  # «batch size»
steps = 500  # «step»

digits = load_digits()
x, names = torch.tensor(digits.data / 16).float(), torch.tensor(digits.target)


def rms(values):
    return values.square().mean().sqrt().detach()


def inside(norm):
    torch.manual_seed(0)
    model = nn.Sequential(
        *(nn.Linear(64, 100), norm(100), nn.ReLU()),
        *(nn.Linear(100, 100), norm(100), nn.ReLU()),
        nn.Linear(100, 10),
    )
    layers = [part for part in model if isinstance(part, nn.Linear)]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    for _ in range(steps):
        batch = torch.randint(len(x), (batch_size,))
        optimizer.zero_grad()
        cross_entropy(model(x[batch]), names[batch]).backward()
        optimizer.step()
    summed = []
    for layer in layers:
        layer.register_forward_hook(lambda _, __, y: summed.append(rms(y)))
    model(x[:128])
    gradients = [rms(layer.weight.grad) for layer in layers]  # of the last batch
    gains = [part.weight.detach() for part in model if isinstance(part, nn.LayerNorm)]
    return torch.stack(summed), torch.stack(gradients), [(g.mean(), g.std()) for g in gains]


plain, normed = inside(nn.Identity), inside(nn.LayerNorm)
print(*plain[:2], *normed[:2], *(number for gain in normed[2] for number in gain))
