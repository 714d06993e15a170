"""The runs by batch size: what is drawn, what is said, and what the text says of them."""

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Explorable
from lnviz.lessons.lab.curves import SAID, SETS
from lnviz.lessons.lab.measures import RUN_METRICS, RunMetric
from lnviz.lessons.lab.series_table import HIGH, LOW
from lnviz.lessons.lab.stored_runs import ALL, RUNS
from lnviz.topics.lab.digits import PAPER, PLAIN
from lnviz.topics.lab.stored import SIZES
from tests.lessons.lab.reading import errors
from tests.lessons.running import built, printed, texts


@pytest.fixture
def figure() -> Explorable:
    return built("lab", "curves")


@pytest.mark.parametrize("norm", SAID)
def test_the_number_at_a_step_is_the_mean_of_the_stored_runs(norm: str, figure: Explorable) -> None:
    at = {"norm": norm, "batch_size": 4, "rate": 0.001, "step": 300}
    values = 100 * SIZES.result.tensor("validation_error", "seed", **at)
    state = figure.state_at(batch_size=4, step=300)
    assert_close(figure.lookup(f"{norm} error mean", state), values.mean(), check_dtype=False)


def test_the_choice_of_its_place_moves_batch_norm_alone(figure: Explorable) -> None:
    states = [figure.state_at(batch_size=4, BatchNorm_placement=head) for head in (PLAIN, PAPER)]
    for norm in RUNS.norms:
        one, other = (figure.lookup(f"{norm} error", state) for state in states)
        assert torch.equal(one, other) == (norm != "batch")


def test_batch_norm_alone_is_missing_and_in_batches_of_one_alone() -> None:
    for row in ALL.rows:
        missing = errors(row.key).isnan().flatten(1).any(1).tolist()
        assert missing == [row.norm == "batch" and size == 1 for size in ALL.sizes]


@pytest.mark.parametrize("measure", RUN_METRICS, ids=lambda m: m.key)
@pytest.mark.parametrize("row", SETS["paper"], ids=lambda row: row.key)
def test_a_mean_lies_in_its_band(row: object, measure: RunMetric, figure: Explorable) -> None:
    name = f"{row.key} {measure.key}"  # type: ignore[attr-defined]
    mean, low, high = (
        figure.tensors[tensor].values.nan_to_num()
        for tensor in (name, f"{name} {LOW}", f"{name} {HIGH}")
    )
    assert (low <= mean + 1e-3).all()  # written with three decimals
    assert (mean <= high + 1e-3).all()


def test_the_error_at_the_end_rises_under_every_norm_as_batches_shrink_to_four() -> None:
    for norm in RUNS.norms:
        end = errors(norm)[..., -1].mean(1)
        assert end[RUNS.sizes.index(4)] > end[RUNS.sizes.index(128)]


def test_the_seeds_in_which_layer_norm_is_ahead_are_counted_from_the_runs(
    figure: Explorable,
) -> None:
    for size, step in ((128, 300), (4, 2000)):
        at = (RUNS.sizes.index(size), slice(None), RUNS.steps.index(step))
        ahead = int((errors("layer")[at] < errors("batch")[at]).sum())
        assert figure.lookup("error ahead", figure.state_at(batch_size=size, step=step)) == ahead


def test_what_is_said_of_shrinking_batches_is_counted_from_the_runs(figure: Explorable) -> None:
    layer = errors("layer").mean(1)
    counts = {
        (size, row): int((layer < errors(row).mean(1))[RUNS.sizes.index(size)].sum())
        for size in (128, 4)
        for row in ("batch", "batch paper")
    }
    said = texts(figure)
    assert f"Of {len(RUNS.steps)} measurements" in said
    assert (
        f"{counts[128, 'batch']} times with batches of 128 and {counts[4, 'batch']} times" in said
    )
    assert f"all layers, {counts[128, 'batch paper']} and {counts[4, 'batch paper']} times" in said


@pytest.mark.slow
@pytest.mark.parametrize(("size", "count"), [(4, 3), (1, 2)])
def test_the_code_trains_the_norms_that_a_batch_allows(
    size: int, count: int, figure: Explorable
) -> None:
    state = figure.state_at(batch_size=size, step=50, BatchNorm_placement=PAPER)
    assert "before_softmax = True\n" in figure.code_at(state)
    wrong = printed(figure, state)
    assert len(wrong) == count
    assert all(0 < error < 90 for error in wrong)
