"""Gradients by layer for the lesson: what is measured, and the result that is shipped."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from lnviz.results import PROFILES
from lnviz.results.making import to_json
from lnviz.topics.transformer import PLACEMENTS, profiles
from lnviz.topics.transformer.experiment import SETUPS
from lnviz.topics.transformer.profiles import Profiles, Specification, from_json, measure, stored
from lnviz.topics.transformer.theory import last_layer

SMALL = Specification(width=8, depths=(1, 3), seeds=(2, 3))


def check(found: Profiles) -> None:
    """Hold profiles' shapes and ranges to their specification."""
    assert list(found.setups) == list(SETUPS)
    for placements in found.setups.values():
        assert list(placements) == list(PLACEMENTS)
        for each in placements.values():
            for depth, profile in zip(found.specification.depths, each, strict=True):
                quartiles = torch.tensor([profile.lower, profile.median, profile.upper])
                assert quartiles.shape == (3, depth)
                assert (quartiles[0] > 0).all()
                assert (quartiles.diff(dim=0) >= 0).all()


def test_profiles_are_read_as_they_were_written() -> None:
    found = measure(SMALL)
    check(found)
    assert from_json(to_json(found)) == found


def test_what_is_stored_is_what_the_command_measures_by_itself() -> None:
    assert stored().specification == Specification()
    check(stored())


@pytest.mark.parametrize("setup", SETUPS)
def test_the_last_layer_is_that_of_a_network_of_this_depth(setup: str) -> None:
    depths, kept = Specification().depths[:3], stored().setups[setup]
    found = last_layer(["post", "pre"], depths, Specification().experiment(setup))
    for key, gradients in found.items():
        lasts = torch.tensor([profile.median[-1] for profile in kept[key][:3]])
        assert_close(lasts, gradients.values.quantile(0.5, dim=-1), rtol=1e-3, atol=1e-4)


def test_the_command_writes_where_the_lesson_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = replace(PROFILES, name=str(tmp_path / PROFILES.name))
    monkeypatch.setattr(profiles, "PROFILES", elsewhere)
    monkeypatch.setattr(profiles, "Specification", lambda: replace(SMALL, depths=(1,)))
    assert f"python -m {profiles.__name__}" == PROFILES.command
    monkeypatch.setattr("sys.argv", [PROFILES.command, "--width", "4", "--seeds", "1"])
    profiles.main()
    assert elsewhere.path.exists()
    assert "theory            Keel              1 layers: " in capsys.readouterr().out
