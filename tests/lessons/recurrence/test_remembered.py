from functools import partial

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Chart, Readout
from lnviz.lessons.recurrence.bands import lengths, longest, runs
from lnviz.lessons.recurrence.remembered import KIND, PLAIN
from lnviz.topics.recurrence import StepNorm
from lnviz.topics.recurrence.train import RECURRENCE
from tests.lessons.running import built

UNITS = RECURRENCE.result.specification.units
LONGEST = longest()


figure = partial(built, "recurrence", "remembered")


def drawn(statistic: str, step: int) -> torch.Tensor:
    """A column of the heat map."""
    return figure().tensors[statistic].values.unflatten(0, (-1, UNITS))[step - 1].cpu()


def test_steps_beyond_training_show_the_last_steps_statistics() -> None:
    for step in range(LONGEST, 2 * LONGEST + 1):
        assert torch.equal(drawn("std", step), drawn("std", LONGEST))
        assert figure().lookup("used", figure().state_at(sequence_step=step)) == LONGEST
    assert not torch.equal(drawn("std", LONGEST - 1), drawn("std", LONGEST))


def test_a_norm_of_the_core_uses_what_the_heat_map_shows() -> None:
    norm = StepNorm(UNITS, "batch", steps=LONGEST).eval()
    for statistic in ("mean", "var"):
        kept = RECURRENCE.result.tensor(f"norm_cell_{statistic}", "position", "unit")
        norm.get_buffer(f"running_{statistic}").copy_(kept)
    for step in (3, LONGEST + 5):
        used = norm(torch.zeros(2, UNITS), step - 1)
        assert_close(used.mean.flatten(), drawn("mean", step), rtol=0, atol=1e-3)


@pytest.mark.parametrize("statistic", ["mean", "std"])
def test_a_scale_of_colors_ends_where_its_statistic_does(statistic: str) -> None:
    (chart,) = (v for v in figure().views[0] if v.when["statistic"] == (statistic,))
    assert isinstance(chart, Chart)
    low, high = chart.figure.data[0].zmin, chart.figure.data[0].zmax
    values = figure().tensors[statistic].values
    assert high - 0.5 < values.abs().max() <= high
    assert low == (-high if statistic == "mean" else 0)


def test_only_past_training_the_words_say_what_comes_of_it() -> None:
    readouts = [v for row in figure().views for v in row if isinstance(v, Readout)]
    (verdict,) = [v for v in readouts if v.style == "verdict"]
    own, again = [v for v in readouts if v.style == "finding"]
    assert max(own.when["sequence step"]) == LONGEST
    assert min(again.when["sequence step"]) == LONGEST + 1
    assert again.when == verdict.when
    (near, far), (plain_near, plain_far) = (
        runs(kind, "accuracy_after").mean(0)[[lengths().index(k * LONGEST) for k in (1, 2)]]
        for kind in (KIND, PLAIN)
    )
    assert f"an accuracy of {near:.2f}, and after {2 * LONGEST} steps, {far:.2f}" in verdict.text
    assert f"also falls, from {plain_near:.2f} to {plain_far:.2f}" in verdict.text
    assert plain_far < plain_near
