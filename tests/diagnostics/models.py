"""Small models, healthy ones and what they are made of."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

WIDTH, WORDS = 64, 50
Makes = Callable[[int], nn.Module]


class Block(nn.Module):
    def __init__(self, pre: bool, norm: Makes) -> None:
        super().__init__()
        self.first, self.second, self.pre = norm(WIDTH), norm(WIDTH), pre
        self.attention = nn.MultiheadAttention(WIDTH, 4, batch_first=True)
        self.inner = nn.Sequential(
            nn.Linear(WIDTH, 2 * WIDTH), nn.ReLU(), nn.Linear(2 * WIDTH, WIDTH)
        )

    def forward(self, x: Tensor) -> Tensor:
        if self.pre:
            y = self.first(x)
            x = x + self.attention(y, y, y, need_weights=False)[0]
            return x + self.inner(self.second(x))
        x = self.first(x + self.attention(x, x, x, need_weights=False)[0])
        return self.second(x + self.inner(x))


class Reader(nn.Module):
    """A small Transformer."""

    def __init__(self, layers: int = 3, pre: bool = True, norm: Makes = nn.LayerNorm) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.Sequential(*(Block(pre, norm) for _ in range(layers)))
        self.final = norm(WIDTH) if pre else nn.Identity()
        self.out = nn.Linear(WIDTH, WORDS)

    def forward(self, ids: Tensor) -> Tensor:
        return self.out(self.final(self.blocks(self.embedding(ids))))


def pictures() -> nn.Sequential:
    """A small network of convolutions."""
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        nn.Conv2d(8, 16, 3, stride=2),
        nn.BatchNorm2d(16),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 10),
    )


def read(model: nn.Module, examples: int = 4) -> Tensor:
    """The loss of guessing a text from behind."""
    ids = torch.randint(WORDS, (examples, 12))
    return F.cross_entropy(model(ids).flatten(0, 1), ids.flip(1).flatten())


def look(model: nn.Module, examples: int = 16, shift: float = 0.0) -> Tensor:
    images = torch.randn(examples, 3, 16, 16) + shift
    return F.cross_entropy(model(images), torch.randint(10, (examples,)))


def train(
    model: nn.Module, loss: Callable[[nn.Module], Tensor], steps: int, lr: float = 1e-3
) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(model).backward()
        optimizer.step()


class OwnRMS(nn.Module):
    """RMSNorm as Llama has it; `narrow` takes the statistics in the input's own format."""

    def __init__(self, width: int, narrow: bool = False) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.variance_epsilon, self.narrow = 1e-6, narrow

    def forward(self, hidden_states: Tensor) -> Tensor:
        x = hidden_states if self.narrow else hidden_states.float()
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)
        return self.weight * x.to(hidden_states.dtype)
