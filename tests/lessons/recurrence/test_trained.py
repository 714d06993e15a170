from functools import cache

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Chart, Explorable, Readout
from lnviz.lessons.recurrence.trained import (
    FAMILIES,
    compared,
    length_figure,
    members,
    task_figure,
)
from lnviz.recurrence.reader import KINDS


@cache
def task() -> Explorable:
    return task_figure()


@cache
def length() -> Explorable:
    return length_figure()


def mean(key: str, what: str) -> torch.Tensor:
    return torch.tensor(getattr(compared().kinds[key], what)).mean(0)


def charts(explorable: Explorable, choice: str, family: str) -> list[Chart]:
    views = [view for row in explorable.views for view in row]
    return [v for v in views if isinstance(v, Chart) and v.when == {choice: (family,)}]


def said(explorable: Explorable) -> str:
    return " ".join(v.text for row in explorable.views for v in row if isinstance(v, Readout))


def test_every_kind_of_network_is_in_one_of_the_families() -> None:
    assert {key for family in FAMILIES for key in members(family)} == set(KINDS)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("figure", "choice", "names"),
    [
        (task, "cells", [("loss", "test_loss"), ("accuracy", "accuracy")]),
        (length, "network", [("right", "accuracy_after")]),
    ],
)
def test_a_chart_has_a_mean_inside_a_band_for_every_network(
    family: str, figure: object, choice: str, names: list[tuple[str, str]]
) -> None:
    assert callable(figure)
    keys = members(family)
    for chart, (name, what) in zip(charts(figure(), choice, family), names, strict=True):
        bands, lines = chart.figure.data[: len(keys)], chart.figure.data[len(keys) : -1]
        for key, band, line in zip(keys, bands, lines, strict=True):
            middle = torch.tensor(line.y)
            assert_close(middle, mean(key, what))
            count = len(middle)
            high, low = torch.tensor(band.y[:count]), torch.tensor(band.y[count:]).flip(0)
            assert (low <= middle).all()
            assert (middle <= high).all()
        marks = figure().tensors[f"all {family} {name}"].values
        assert marks.shape[1] == len(keys)
        assert_close(marks[:, 0], mean(keys[0], what))


def test_pairs_are_counted_seed_by_seed() -> None:
    for family in FAMILIES:
        plain, layer = (
            torch.tensor(compared().kinds[key].test_loss) for key in (family, f"{family}-layer")
        )
        expected = torch.tensor(
            [float((b < a).sum()) for a, b in zip(plain.T, layer.T, strict=True)]
        )
        assert_close(task().tensors[f"{family} ahead"].values, expected)


def test_layernorm_speeds_up_the_gru_early_and_not_clearly_the_lstm() -> None:
    ahead = {family: task().tensors[f"{family} ahead"].values for family in FAMILIES}
    count, early = len(compared().specification.seeds), 10
    assert ahead["gru"][:early].mean() > 0.9 * count
    assert ahead["gru"][2 * early :].mean() < 0.6 * count
    assert 0.3 * count < ahead["lstm"].mean() < 0.75 * count


def test_beyond_training_networks_without_a_norm_remember_longest_and_batchnorm_least() -> None:
    far = [
        at for at, steps in enumerate(compared().lengths) if 2 * compared().longest < steps < 100
    ]
    assert far
    for at in far:
        right = {key: mean(key, "accuracy_after")[at] for key in KINDS}
        assert right["gru"] > right["gru-layer"]
        assert right["lstm"] > right["lstm-layer"] > right["lstm-batch"]


def test_the_specification_and_what_it_ran_on_are_those_of_the_result() -> None:
    found, text = compared(), said(task())
    s = found.specification
    for part in (
        f"{found.train:,} images",
        f"{found.test} others",
        f"batches of {s.batch}",
        f"{s.steps:,} batches",
        f"learning rate of {s.rate:g}",
        f"seeds {s.seeds[0]} to {s.seeds[-1]}",
        f"torch {found.versions['torch']}",
        found.device,
    ):
        assert part in text
    for kind in found.kinds.values():
        assert f"{kind.label}: {kind.parameters:,}" in text


def test_the_verdict_on_longer_sequences_stands_at_those_alone() -> None:
    readouts = [view for row in length().views for view in row if isinstance(view, Readout)]
    (verdict,) = [readout for readout in readouts if readout.look == "verdict"]
    longer = {float(steps) for steps in compared().lengths if steps > compared().longest}
    assert set(verdict.when["sequence length"]) == longer
