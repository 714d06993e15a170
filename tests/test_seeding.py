from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

from lnviz.seeding import isolated_rng


def weight(seed: int) -> float:
    with isolated_rng():
        torch.manual_seed(seed)
        layers = [nn.Linear(32, 32) for _ in range(20)]
    return float(layers[-1].weight.detach().sum())


def test_threads_that_draw_at_once_get_what_their_seeds_give() -> None:
    alone = [weight(seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(weight, range(8))] == alone


def test_what_is_drawn_leaves_no_trace() -> None:
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    weight(5)
    assert torch.rand(1) == expected
