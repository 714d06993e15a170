"""What the text says of the runs, of the paper and of the command line."""

import re
from dataclasses import replace

import pytest
import torch

from lnviz.lessons.lab.stored_runs import RUNS
from lnviz.lessons.lab.text_values import text_values
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.command import _parser
from tests.lessons.lab.reading import errors
from tests.lessons.running import whole

LESSON, TEXT = whole("lab")
COMMANDS = re.findall(r"^- `(.*?)`", TEXT, re.M)
OPTIONS = re.findall(r"`(--(?!help).*?)`", TEXT)
FOUR, MANY = RUNS.sizes.index(4), RUNS.sizes.index(128)


def test_in_large_batches_batch_norm_is_ahead_at_every_step_wherever_it_stands() -> None:
    layer = errors("layer")[MANY]
    for row in ("batch", "batch paper"):
        assert (errors(row)[MANY].mean(0) < layer.mean(0)).all()
    assert (errors("batch")[MANY].amax(0) >= layer.amin(0)).all()


def test_in_batches_of_four_layer_norm_is_ahead_at_four_steps_in_five_and_more_on_all_layers() -> (
    None
):
    layer, batch, everywhere = (
        errors(row).mean(1)[FOUR] for row in ("layer", "batch", "batch paper")
    )
    assert (layer < batch).sum() > 0.8 * len(RUNS.steps)
    assert batch[-1] < layer[-1]
    assert (layer < everywhere).all()
    assert everywhere.mean() > batch.mean()


def test_at_the_end_the_ranges_of_the_norms_overlap_at_both_batch_sizes() -> None:
    for size in (FOUR, MANY):
        ends = torch.stack([errors(norm)[size, :, -1] for norm in RUNS.norms])
        assert (ends.amin(1)[:, None] < ends.amax(1)).all()


def shared(size: int) -> torch.Tensor:
    """How much of the ranges of BatchNorm and LayerNorm is common, by step; below 0: their gap."""
    batch, layer = errors("batch")[size], errors("layer")[size]
    return torch.minimum(batch.amax(0), layer.amax(0)) - torch.maximum(batch.amin(0), layer.amin(0))


def test_the_ranges_of_batch_norm_and_layer_norm_overlap_at_nearly_every_measurement() -> None:
    few, many = shared(FOUR), shared(MANY)
    assert ((few >= 0).sum(), (many >= 0).sum()) == (len(RUNS.steps) - 1, len(RUNS.steps))
    values = text_values()
    assert values["together"] == (few >= 0).sum() + (many >= 0).sum()
    assert values["together"] > 0.9 * values["compared"]
    assert values["compared"] == 2 * len(RUNS.steps)


def test_after_300_steps_the_ranges_touch_with_batches_of_128_and_overlap_with_batches_of_4() -> (
    None
):
    at = RUNS.steps.index(300)
    assert shared(MANY)[at] == 0
    assert shared(FOUR)[at] > 0


def test_after_300_steps_of_4_layer_norm_is_ahead_of_batch_norm_and_both_errors_are_higher() -> (
    None
):
    at = RUNS.steps.index(300)
    few, many = (
        [errors(norm)[size, :, at].mean() for norm in ("layer", "batch")] for size in (FOUR, MANY)
    )
    assert few[0] < few[1]
    assert few[0] > max(many)


def test_in_batches_of_four_both_learn_faster_at_first_than_without_a_norm() -> None:
    plain = errors("none").mean(1)[FOUR]
    for norm in ("layer", "batch"):
        assert (errors(norm).mean(1)[FOUR] < plain)[:5].all()


def test_the_text_has_commands_and_options() -> None:
    assert [command.split()[0] for command in COMMANDS] == ["run", "list", "export"]
    assert OPTIONS


@pytest.mark.parametrize("command", [*COMMANDS, *(f"run digits {each}" for each in OPTIONS)])
def test_every_command_is_one_that_the_program_takes(command: str) -> None:
    given = vars(_parser().parse_args(command.split()))
    experiment = EXPERIMENTS["digits"]
    fields = ("norms", "batch_sizes", "rates", "head")
    asked = {name: given[name] for name in fields if given.get(name)}
    experiment.check(replace(experiment.default, **asked))


def test_without_options_it_trains_in_batches_of_two_sizes() -> None:
    assert len(EXPERIMENTS["digits"].default.batch_sizes) == 2


def test_all_figures_but_one_show_stored_runs() -> None:
    assert [len(figure.parameters) for figure in LESSON.figures] == [0, 1, 0, 0]
