"""The deep networks trained on digits, and the result that is shipped."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from lnviz.data.examples import digit_images
from lnviz.results import DEPTH
from lnviz.topics.depth import learning
from lnviz.topics.depth.comparison import SPECIFICATIONS, Comparison, Specification, from_json
from lnviz.training import draws

SMALL = Specification(layers=3, scales=(0.5, 2.0), seeds=(1, 4), batch=8, steps=6, every=2)


@pytest.fixture(scope="module")
def found() -> Comparison:
    return learning.compare(SMALL)


def check(comparison: Comparison) -> None:
    """Hold a comparison's shapes and ranges to its specification."""
    s = comparison.specification
    assert set(comparison.norms) == {"none", "layer"}
    assert comparison.points[-1] == s.steps
    for outcome in comparison.norms.values():
        loss, right = torch.tensor(outcome.loss), torch.tensor(outcome.accuracy)
        assert loss.shape == (len(s.scales), len(s.seeds), len(comparison.points))
        assert right.shape == loss.shape[:2]
        assert loss.isfinite().all()
        assert (loss > 0).all()
        assert ((right >= 0) & (right <= 1)).all()


def test_a_comparison_holds_what_its_specification_says(found: Comparison) -> None:
    check(found)
    assert found.train + found.test == len(digit_images().images)


@pytest.mark.parametrize(("norm", "at"), [("none", 1), ("layer", 0)])
def test_a_run_among_many_goes_as_a_plain_loop_takes_it_alone(
    found: Comparison, norm: str, at: int
) -> None:
    torch.manual_seed(SMALL.seeds[1])
    model = learning.network(norm, SMALL.layers, SMALL.scales[at])
    optimizer = torch.optim.Adam(model.parameters(), lr=SMALL.rate)
    images, targets = digit_images().images, digit_images().targets
    kept = torch.arange(len(images)) % 5 == 0
    losses = []
    for (draw,) in draws(SMALL.seeds[1:], int((~kept).sum()), steps=SMALL.steps, batch=SMALL.batch):
        loss = torch.nn.functional.cross_entropy(model(images[~kept][draw]), targets[~kept][draw])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    means = torch.stack(losses).unflatten(0, (-1, SMALL.every)).mean(-1)
    assert_close(torch.tensor(found.norms[norm].loss[at][1]), means, rtol=2e-3, atol=1e-4)
    right = (model(images[kept]).argmax(-1) == targets[kept]).float().mean()
    assert found.norms[norm].accuracy[at][1] == pytest.approx(right.item(), abs=0.01)


def test_networks_with_and_without_the_norm_begin_with_the_same_weights() -> None:
    weights = []
    for norm, scale in (("none", 1.0), ("layer", 2.0)):
        torch.manual_seed(0)
        weights.append(list(learning.network(norm, 3, scale).parameters()))
    for one, other in zip(weights[0][:3], weights[1][:3], strict=True):
        assert_close(2 * one, other)
    assert_close(weights[0][3:], weights[1][3:])


def test_the_shipped_result_is_that_of_the_command_as_it_stands() -> None:
    shipped = from_json(DEPTH.path.read_text(encoding="utf-8"))
    assert tuple(each.specification for each in shipped.comparisons) == SPECIFICATIONS
    for comparison in shipped.comparisons:
        check(comparison)


def test_the_command_writes_where_the_lesson_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = replace(DEPTH, name=str(tmp_path / DEPTH.name))
    monkeypatch.setattr(learning, "DEPTH", elsewhere)
    monkeypatch.setattr(learning, "SPECIFICATIONS", (SMALL,))
    monkeypatch.setenv("LNVIZ_DEVICE", "cpu")
    assert f"python -m {learning.__name__}" == DEPTH.command
    monkeypatch.setattr("sys.argv", [DEPTH.command, "--quick"])
    learning.main()
    (written,) = from_json(elsewhere.path.read_text(encoding="utf-8")).comparisons
    assert written.specification == replace(SMALL, steps=2, every=1)
    assert "3 layers, layer: " in capsys.readouterr().out


def test_a_comparison_needs_batches_that_its_losses_divide() -> None:
    with pytest.raises(ValueError, match=r"over every 7 batches, to the end; got 6 steps\. Use a"):
        replace(SMALL, every=7)
    with pytest.raises(ValueError, match=r"^layers must be 1 or more, got 0\.$"):
        replace(SMALL, layers=0)
