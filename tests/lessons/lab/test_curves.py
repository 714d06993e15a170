"""The runs by batch size: what is drawn, what is said, and what the text says of them."""

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Explorable, Readout
from lnviz.lessons.lab.curves import SETS, STEP
from lnviz.lessons.lab.drawing import MEASURES
from lnviz.lessons.lab.runs import NORMS, POINTS, SIZES, measured
from lnviz.topics.lab.comparison import stored
from lnviz.topics.lab.digits import PAPER, PLAIN
from tests.lessons.running import built, printed


@pytest.fixture
def figure() -> Explorable:
    return built("lab", "curves")


@pytest.mark.parametrize("norm", NORMS)
def test_the_number_at_a_step_is_the_mean_of_the_stored_runs(norm: str, figure: Explorable) -> None:
    found = stored().find(norm, 4)
    assert found is not None
    at = stored().points.index(300)
    values = [100 * (run[at] or 0.0) for run in found.validation_error]
    state = figure.at(batch_size=4, step=300)
    mean = figure.lookup(f"{norm} error mean", state)
    assert float(mean) == pytest.approx(sum(values) / len(values))
    assert float(figure.lookup(f"{norm} error low", state)) == pytest.approx(min(values))
    assert float(figure.lookup(f"{norm} error high", state)) == pytest.approx(max(values))


def test_the_choice_of_its_place_moves_batch_norm_alone(figure: Explorable) -> None:
    states = [figure.at(batch_size=4, BatchNorm_stands=head) for head in (PLAIN, PAPER)]
    for norm in NORMS:
        one, other = (figure.lookup(f"{norm} error", state) for state in states)
        assert torch.equal(one, other) == (norm != "batch")


def test_batch_norm_alone_is_missing_and_in_batches_of_one_alone() -> None:
    for norm in NORMS:
        missing = measured(norm, "validation_error").isnan().flatten(1).any(1).tolist()
        assert missing == [norm == "batch" and size == 1 for size in SIZES]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.key)
@pytest.mark.parametrize("norm", SETS["paper"])
def test_a_mean_lies_in_its_band(norm: str, measure: object, figure: Explorable) -> None:
    name = f"{norm} {measure.key}"  # type: ignore[attr-defined]
    mean, outline = (figure.tensors[n].values.nan_to_num() for n in (name, f"{name} band"))
    high, low = outline.chunk(2, -1)
    assert (low.flip(-1) <= mean + 1e-6).all()
    assert (mean <= high + 1e-6).all()


def test_marks_lie_on_the_lines(figure: Explorable) -> None:
    state = figure.at(batch_size=32, step=700, BatchNorm_stands=PAPER)
    at = STEP.index(700)
    for column, norm in enumerate(NORMS):
        line = figure.lookup(f"{norm} error", state)
        assert_close(figure.lookup("all error on", state)[column], line[at])
        seconds = figure.lookup(f"{norm} seconds", state)
        assert_close(figure.lookup("all at seconds", state)[column], seconds[at])
    assert_close(figure.lookup("all at steps", state), torch.full((len(NORMS),), 700.0))


def test_the_error_at_the_end_rises_under_every_norm_as_batches_shrink_to_four() -> None:
    for norm in NORMS:
        end = measured(norm, "validation_error")[..., -1].mean(1)
        assert end[SIZES.index(4)] > end[SIZES.index(128)]


def test_what_is_said_of_shrinking_batches_is_counted_from_the_runs(figure: Explorable) -> None:
    texts = [v.text for row in figure.views for v in row if isinstance(v, Readout)]
    (said,) = (text for text in texts if text.startswith("Of the"))
    layer = measured("layer", "validation_error").mean(1)
    counts = {
        (size, head): int((layer < measured("batch", "validation_error", head).mean(1))[at].sum())
        for at, size in enumerate(SIZES)
        for head in (PLAIN, PAPER)
    }
    assert f"Of the {len(POINTS)} times" in said
    assert f"{counts[128, PLAIN]} times in batches of 128 and {counts[4, PLAIN]} times" in said
    assert f"it is {counts[128, PAPER]} and {counts[4, PAPER]} times" in said


@pytest.mark.parametrize(("size", "count"), [(4, 3), (1, 2)])
def test_the_code_trains_the_norms_that_a_batch_allows(
    size: int, count: int, figure: Explorable
) -> None:
    state = figure.at(batch_size=size, step=50, BatchNorm_stands=PAPER)
    assert "before_softmax = True\n" in figure.code_at(state)
    errors = printed(figure, state)
    assert len(errors) == count
    assert all(0 < error < 90 for error in errors)
