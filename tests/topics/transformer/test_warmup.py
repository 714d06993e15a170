"""The language models trained with and without warm-up, and the result that is shipped."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.results import WARMUP
from lnviz.topics.transformer import warmup
from lnviz.topics.transformer.comparison import Comparison, Outcome, Specification, from_json
from lnviz.topics.transformer.language import prediction_loss
from lnviz.topics.transformer.text import encoded, text
from lnviz.training import draws

SMALL = Specification(
    layers=2,
    width=8,
    heads=2,
    inner=8,
    context=6,
    batch=3,
    steps=6,
    warm_up=4,
    every=2,
    rates=(0.001, 0.01, 1e30),
    seeds=(1, 4),
)


@pytest.fixture(scope="module")
def found() -> Comparison:
    return warmup.compare(SMALL)


def outcomes(comparison: Comparison) -> list[Outcome]:
    return [*comparison.without.values(), *comparison.warmed.values()]


def check(comparison: Comparison) -> None:
    """Hold a comparison's shapes and ranges to its specification."""
    s = comparison.specification
    cells = (len(s.rates), len(s.seeds))
    assert set(comparison.without) == set(comparison.warmed) == {"post", "pre"}
    assert comparison.points[-1] == s.steps
    for outcome in outcomes(comparison):
        loss, curve, offset = (
            torch.tensor(json.loads(json.dumps(part).replace("null", "NaN")))
            for part in (outcome.loss, outcome.curve, outcome.offset)
        )
        assert loss.shape == cells
        assert curve.shape == (*cells, len(comparison.points))
        assert offset.shape == (*cells, s.layers + 1)
        finite = loss.isfinite()
        assert (loss[finite] > 0).all()
        assert ((offset[finite] >= 0) & (offset[finite] <= 1)).all()
        failed = torch.tensor(comparison.failed(outcome))
        assert (failed | (loss < comparison.frequencies)).all()


def test_a_comparison_holds_what_its_specification_says(found: Comparison) -> None:
    check(found)


def test_a_run_that_diverges_has_no_loss_and_has_failed(found: Comparison) -> None:
    # At this rate the first step leaves numbers whose squares no float holds.
    outcome = found.without["pre"]
    assert outcome.loss[2] == (None, None)
    assert found.failed(outcome)[2] == (True, True)
    assert None not in outcome.loss[0]


@pytest.mark.parametrize(("placement", "warmed"), [("post", True), ("pre", False)])
def test_a_run_among_many_goes_as_a_plain_loop_takes_it_alone(
    found: Comparison, placement: str, warmed: bool
) -> None:
    torch.manual_seed(SMALL.seeds[1])
    model = warmup.language_model(SMALL, placement)
    optimizer = torch.optim.Adam(model.parameters())
    codes = encoded(text())
    codes = codes[: round(0.9 * len(codes))]
    losses: list[Tensor] = []
    cases = len(codes) - SMALL.context
    for step, (begins,) in enumerate(draws((4,), cases, steps=SMALL.steps, batch=SMALL.batch)):
        passages = torch.stack([codes[begin : begin + SMALL.context + 1] for begin in begins])
        share = min(1.0, (step + 1) / SMALL.warm_up) if warmed else 1.0
        optimizer.param_groups[0]["lr"] = 0.01 * share
        loss = prediction_loss(model(passages[:, :-1]), passages[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    outcome = (found.warmed if warmed else found.without)[placement]
    means = torch.stack(losses).unflatten(0, (-1, SMALL.every)).mean(-1)
    assert_close(torch.tensor(outcome.curve[1][1]), means, rtol=2e-3, atol=1e-3)


def test_frequencies_alone_cost_about_the_entropy_of_the_text(found: Comparison) -> None:
    counts = torch.bincount(encoded(text())).double()
    shares = counts[counts > 0] / counts.sum()
    assert found.frequencies == pytest.approx(-(shares * shares.log()).sum().item(), abs=0.15)
    assert found.frequencies < math.log(len(shares))


def test_the_shipped_result_is_that_of_the_command_as_it_stands() -> None:
    shipped = from_json(WARMUP.path.read_text(encoding="utf-8"))
    assert shipped.specification == Specification()
    check(shipped)


def test_the_command_writes_where_the_lesson_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = replace(WARMUP, name=str(tmp_path / WARMUP.name))
    monkeypatch.setattr(warmup, "WARMUP", elsewhere)
    monkeypatch.setattr(warmup, "Specification", lambda: SMALL)
    monkeypatch.setenv("LNVIZ_DEVICE", "cpu")
    assert f"python -m {warmup.__name__}" == WARMUP.command
    monkeypatch.setattr("sys.argv", [WARMUP.command])
    warmup.main()
    assert from_json(elsewhere.path.read_text(encoding="utf-8")).specification == SMALL
    printed = capsys.readouterr().out
    assert "Pre-LN   without warm-up, rate 1e+30: diverged, diverged (2 of 2 failed)" in printed


def test_a_comparison_needs_batches_that_its_losses_divide() -> None:
    with pytest.raises(ValueError, match=r"over every 7 batches, to the end; got 6 steps\. Use a"):
        replace(SMALL, every=7)
    with pytest.raises(ValueError, match=r"^warm_up must be 1 or more, got 0\.$"):
        replace(SMALL, warm_up=0)
