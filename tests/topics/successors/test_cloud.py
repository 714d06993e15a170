"""What goes into and out of language models' norms, and the result that is shipped."""

from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.results import CLOUD
from lnviz.results.making import to_json
from lnviz.topics.successors import train
from lnviz.topics.successors.cloud import Clouds, Specification, fit, from_json, stored
from lnviz.topics.transformer.block import Shape
from lnviz.topics.transformer.language import LanguageModel
from lnviz.topics.transformer.text import alphabet, encoded, text

SMALL = Specification(
    layers=2,
    width=8,
    heads=2,
    inner=8,
    context=6,
    batch=3,
    steps=3,
    warm_up=2,
    seeds=(1, 4),
    passages=4,
    tokens=5,
    units=3,
    alphas=(0.1, 0.5, 1.0),
)


@pytest.fixture(scope="module")
def found() -> Clouds:
    return train.compare(SMALL)


def check(clouds: Clouds) -> None:
    """Hold shapes and ranges to the specification."""
    s = clouds.specification
    norms = len(s.names)
    assert norms == 2 * s.layers + 1
    for cloud in (clouds.before, clouds.after):
        assert torch.tensor(cloud.inputs).shape == (norms, s.tokens, s.units)
        for part in (cloud.means, cloud.stds):
            assert torch.tensor(part).shape == (norms, s.tokens)
        for part in (cloud.heights, cloud.shifts, cloud.left):
            assert torch.tensor(part).shape == (norms, len(s.alphas))
        for part in (cloud.alpha, cloud.bent, cloud.straight, cloud.spread):
            assert torch.tensor(part).shape == (len(s.seeds), norms)
        assert set(sum(cloud.alpha, ())) <= set(s.alphas)
        left, bent = torch.tensor(cloud.left), torch.tensor(cloud.bent)
        assert_close(left.amin(1), bent[0])
        assert ((left >= 0) & (left <= 1)).all()
        assert (torch.tensor(cloud.spread) >= 1).all()
        assert len(cloud.loss) == len(s.seeds)


def test_a_record_has_what_its_specification_says(found: Clouds) -> None:
    check(found)
    assert from_json(to_json(found)) == found


def test_the_record_that_is_shipped_is_whole_and_its_models_have_learned() -> None:
    check(stored())
    assert stored().specification == Specification()
    assert max(stored().after.loss) < 2.5 < min(stored().before.loss)


def test_points_before_training_are_those_of_the_model_as_it_starts(found: Clouds) -> None:
    torch.manual_seed(SMALL.seeds[0])
    shape = Shape(8, 2, 2, 8, activation="relu", causal=True)
    model = LanguageModel(len(alphabet()), SMALL.context, shape)
    codes = encoded(text())
    passage = codes[round(len(codes) * 0.9) :][: SMALL.context]
    block = model(passage).transformer.blocks[1].feed_forward
    seen = torch.tensor(found.before.inputs)[3, 0]  # block 2, before the feed-forward layer
    assert_close(seen, block.x[0, [0, 3, 7]].detach(), rtol=1e-3, atol=1e-3)
    mean, std = (torch.tensor(part)[3, 0] for part in (found.before.means, found.before.stds))
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


def test_a_text_that_is_no_record_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^This is no record of what goes .* lnviz.topics.successors.tr"
    ):
        from_json('{"before": 1}')


def test_a_specification_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^tokens must be 1 or more, got 0\.$"):
        Specification(tokens=0)


def test_the_command_writes_where_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: Clouds
) -> None:
    out = tmp_path / "cloud.json"
    monkeypatch.setattr(train, "compare", lambda wanted, **_: found)
    monkeypatch.setattr("sys.argv", [CLOUD.command, "--steps", "3", "--out", str(out)])
    train.main()
    assert from_json(out.read_text(encoding="utf-8")) == found
