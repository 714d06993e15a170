"""What goes into and out of language models' norms, and the result that is shipped."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.results.arrays import ArrayDataset
from lnviz.topics.successors.cloud import fit
from lnviz.topics.successors.train import CLOUD, CloudSpecification, compare
from lnviz.topics.transformer.block import Shape
from lnviz.topics.transformer.documentation import alphabet, encode, text
from lnviz.topics.transformer.language import LanguageModel

SMALL = replace(CLOUD.default, **CLOUD.quick)


@pytest.fixture(scope="module")
def found() -> ArrayDataset:
    return compare(SMALL, torch.device("cpu"), lambda label, step: None)


def test_shares_are_shares_and_the_best_alpha_leaves_the_least() -> None:
    result = CLOUD.result
    left = result.tensor("left", "training", "norm", "alpha")
    assert ((left >= 0) & (left <= 1)).all()
    assert_close(left.amin(-1), result.tensor("bent", "seed", "training", "norm")[0])
    best = result.tensor("best_alpha", "training", "seed", "norm")
    assert torch.isin(best, torch.tensor(result.specification.alphas)).all()
    assert (result.tensor("spread", "training", "seed", "norm") >= 1).all()


def test_the_models_have_learned() -> None:
    before, after = CLOUD.result.tensor("loss", "training", "seed")
    assert after.max() < 2.5 < before.min()


def test_points_before_training_are_those_of_the_model_as_it_starts(found: ArrayDataset) -> None:
    torch.manual_seed(SMALL.seeds[0])
    shape = Shape(8, 2, 2, 8, activation="relu", causal=True)
    model = LanguageModel(len(alphabet()), SMALL.context, shape)
    codes = encode(text())
    passage = codes[round(len(codes) * 0.9) :][: SMALL.context]
    block = model(passage).transformer.blocks[1].feed_forward
    at = {"training": "before", "norm": "block 2, before the feed-forward layer", "token": 0}
    seen = found.tensor("inputs", "unit", **at)
    assert_close(seen, block.x[0, [0, 3, 7]].detach(), rtol=1e-3, atol=1e-3)
    mean, std = (found.tensor(name, **at) for name in ("means", "stds"))
    expected = F.layer_norm(block.x[0], (8,))[[0, 3, 7]]
    assert_close((seen - mean) / std, expected.detach(), rtol=1e-2, atol=1e-2)


def lines(slopes: Tensor) -> tuple[Tensor, Tensor]:
    drawn = torch.randn(200, 50, generator=torch.Generator().manual_seed(0))
    x = drawn.double() / slopes[:, None]
    return x.flatten(), (x * slopes[:, None]).flatten()


def test_lines_of_one_slope_are_a_line_and_lines_of_many_are_bent() -> None:
    alphas = torch.logspace(-2, 1, 31).double()
    same, many = (
        fit(*lines(slopes), alphas) for slopes in (torch.ones(200), torch.logspace(-1, 1, 200))
    )
    assert same.straight < 1e-9
    assert same.left.argmin() == 0
    assert many.straight > 0.1
    assert many.left.min() < 0.7 * many.straight


def test_a_fit_is_the_least_squares_of_tanh_and_a_constant() -> None:
    x, y = lines(torch.logspace(-1, 1, 200))
    found = fit(x, y, torch.tensor([0.7]).double())
    columns = torch.stack([torch.tanh(0.7 * x), torch.ones_like(x)], 1)
    expected = torch.linalg.lstsq(columns, y[:, None])
    assert_close(torch.cat([found.height, found.shift]), expected.solution[:, 0])
    left = (y - columns @ expected.solution[:, 0]).square().mean() / y.var(correction=0)
    assert_close(found.left[0], left)


def test_a_specification_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^tokens must be 1 or more, got 0\.$"):
        CloudSpecification(tokens=0)
