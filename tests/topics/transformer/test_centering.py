"""Language models trained with and without centering, and the result that is shipped."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from lnviz.results import CENTERING
from lnviz.topics.transformer import centering
from lnviz.topics.transformer.language import prediction_loss
from lnviz.topics.transformer.means import PASSAGES, Means, Specification, at_random, from_json
from lnviz.topics.transformer.rewrite import offset
from lnviz.topics.transformer.text import encoded, text
from lnviz.training import draws

SMALL = Specification(
    layers=2,
    width=8,
    heads=2,
    inner=8,
    context=6,
    batch=3,
    steps=2,
    every=2,
    seeds=(1, 4),
)


@pytest.fixture(scope="module")
def found() -> Means:
    return centering.measure(SMALL)


def check(means: Means) -> None:
    """Hold the shapes and ranges of a measurement to its specification."""
    s = means.specification
    runs = (len(s.points), len(s.seeds))
    assert set(means.norms) == {"layer", "rms"}
    assert s.points[-1] == s.steps
    for outcome in means.norms.values():
        offsets, size = torch.tensor(outcome.offset), torch.tensor(outcome.size)
        assert offsets.shape == size.shape == (*runs, len(s.norms))
        assert ((offsets >= 0) & (offsets <= 1)).all()
        assert (size > 0).all()
        assert torch.tensor(outcome.loss).shape == runs
    for rewritten in (means.centered, means.replaced):
        for part in (rewritten.difference, rewritten.exact, rewritten.loss):
            assert torch.tensor(part).shape == runs
    assert torch.tensor(means.centered.exact).max() < 1e-10


def test_a_measurement_holds_what_its_specification_says(found: Means) -> None:
    check(found)
    assert found.specification.norms == (
        *("attention 1", "feed-forward 1", "attention 2", "feed-forward 2"),
        "read-out",
    )


@pytest.mark.parametrize("norm", ["layer", "rms"])
def test_a_run_among_many_goes_as_a_plain_loop_takes_it_alone(found: Means, norm: str) -> None:
    torch.manual_seed(SMALL.seeds[1])
    model = centering.language_model(SMALL, norm)
    optimizer = torch.optim.Adam(model.parameters(), lr=SMALL.rate)
    codes = encoded(text())
    cut = round(0.9 * len(codes))
    cases = cut - SMALL.context
    for (begins,) in draws((4,), cases, steps=SMALL.steps, batch=SMALL.batch):
        passages = torch.stack([codes[begin : begin + SMALL.context + 1] for begin in begins])
        optimizer.zero_grad()
        prediction_loss(model(passages[:, :-1]), passages[:, 1:]).backward()
        optimizer.step()
    begins = torch.linspace(0, len(codes) - cut - SMALL.context - 1, PASSAGES).long()
    tests = codes[cut:][begins[:, None] + torch.arange(SMALL.context + 1)]
    with torch.no_grad():
        steps = model(tests[:, :-1])
    outcome = found.norms[norm]
    expected = prediction_loss(steps, tests[:, 1:])
    assert_close(torch.tensor(outcome.loss[-1][1]), expected, rtol=1e-3, atol=0)
    last = offset(steps.transformer.blocks[-1].y).mean()
    assert_close(torch.tensor(outcome.offset[-1][1][-1]), last, rtol=1e-3, atol=0)


def test_a_loss_after_centering_is_taken_out_is_the_loss_before(found: Means) -> None:
    assert_close(
        torch.tensor(found.centered.loss),
        torch.tensor(found.norms["layer"].loss),
        rtol=1e-3,
        atol=0,
    )


def test_a_random_direction_has_the_mean_that_is_said() -> None:
    drawn = torch.randn(20_000, 12, generator=torch.Generator().manual_seed(0))
    assert offset(drawn).mean().item() == pytest.approx(at_random(12), rel=0.02)


def test_the_shipped_result_is_that_of_the_command_as_it_stands() -> None:
    shipped = from_json(CENTERING.path.read_text(encoding="utf-8"))
    assert shipped.specification == Specification()
    check(shipped)


def test_the_command_writes_where_the_lesson_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = replace(CENTERING, name=str(tmp_path / CENTERING.name))
    monkeypatch.setattr(centering, "CENTERING", elsewhere)
    monkeypatch.setattr(centering, "Specification", lambda: SMALL)
    monkeypatch.setenv("LNVIZ_DEVICE", "cpu")
    assert f"python -m {centering.__name__}" == CENTERING.command
    monkeypatch.setattr("sys.argv", [CENTERING.command, "--steps", "4", "--seeds", "1"])
    centering.main()
    written = from_json(elsewhere.path.read_text(encoding="utf-8"))
    assert written.specification == replace(SMALL, steps=4, seeds=(0,))
    assert "RMSNorm   after training: loss " in capsys.readouterr().out


def test_a_measurement_needs_batches_that_its_points_divide() -> None:
    with pytest.raises(ValueError, match=r"after every 3 batches, to the end; got 2 steps\. Use a"):
        replace(SMALL, every=3)
    with pytest.raises(ValueError, match=r"^steps must be 1 or more, got 0\.$"):
        replace(SMALL, steps=0)
    with pytest.raises(ValueError, match=r"^seeds must be 1 or more, got none\.$"):
        replace(SMALL, seeds=())
