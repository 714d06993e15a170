"""GroupNorm between its ends: what is trained, and how the result is kept."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from lnviz.results import GROUPS
from lnviz.results.making import to_json
from lnviz.topics.images import training
from lnviz.topics.images.groups import (
    CHANNELS,
    COUNTS,
    KEYS,
    Network,
    Specification,
    from_json,
    network,
    stored,
)

SMALL = Specification(batches=(2, 4), images=8, seeds=(0, 1))


def test_the_counts_divide_the_channels_and_hold_both_ends() -> None:
    assert COUNTS == (1, 2, 4, 8, 16)
    assert (COUNTS[0], COUNTS[-1]) == (1, CHANNELS)


@pytest.mark.parametrize(
    ("key", "kind"), [("1", nn.GroupNorm), ("16", nn.GroupNorm), ("batch", nn.BatchNorm2d)]
)
def test_every_convolution_has_its_norm(key: str, kind: type[nn.Module]) -> None:
    modules = list(network(key))
    assert [type(m) for m in modules].count(kind) == 3
    assert all(m.bias is None for m in modules if isinstance(m, nn.Conv2d))


def test_without_a_norm_convolutions_have_biases_in_its_place() -> None:
    plain = [m for m in Network(None) if isinstance(m, nn.Conv2d)]
    assert all(m.bias is not None for m in plain)


def test_the_rate_is_proportional_to_the_batch_size() -> None:
    assert SMALL.rate_at(32) == SMALL.rate
    assert_close(SMALL.rate_at(2), SMALL.rate / 16)


def test_a_batch_size_that_does_not_divide_the_images_is_refused() -> None:
    with pytest.raises(ValueError, match=r"got 8 in batches of 3. Use batch sizes that divide it"):
        replace(SMALL, batches=(2, 3))


def test_a_comparison_is_read_as_it_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "KEYS", ("16", "batch"))
    found = training.compare(SMALL)
    assert from_json(to_json(found)) == found
    assert {key: len(rows) for key, rows in found.accuracy.items()} == {"16": 2, "batch": 2}
    assert torch.tensor(found.filters).shape == (CHANNELS, 3, 3)


def test_what_is_stored_is_what_the_command_makes_by_itself() -> None:
    assert stored().specification == Specification()
    assert tuple(stored().accuracy) == KEYS
    for rows in stored().accuracy.values():
        shape = (len(Specification().batches), len(Specification().seeds))
        assert torch.tensor(rows).shape == shape


def test_the_command_writes_where_the_lesson_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = replace(GROUPS, name=str(tmp_path / GROUPS.name))
    monkeypatch.setattr(training, "GROUPS", elsewhere)
    monkeypatch.setattr(training, "KEYS", ("batch",))
    assert f"python -m {training.__name__}" == GROUPS.command
    monkeypatch.setattr("sys.argv", [GROUPS.command, "--images", "32", "--seeds", "1"])
    training.main()
    written = from_json(elsewhere.path.read_text(encoding="utf-8"))
    assert written.specification == Specification(images=32, seeds=(0,))
