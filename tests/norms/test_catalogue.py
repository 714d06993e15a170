"""The catalogue of norms: one entry says all that is printed, drawn and computed."""

import re

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.testing import assert_close

from lnviz.norms import CATALOGUE, WEIGHT, Norm

ENTRIES = pytest.mark.parametrize("norm", CATALOGUE.values(), ids=CATALOGUE)


def values(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@ENTRIES
def test_the_code_of_an_entry_computes_what_the_entry_does(norm: Norm) -> None:
    # InstanceNorm shares along places alone: its code needs some.
    layout = "NCL" if norm.key == "instance" else "ND"
    x = values(*(5, 6, 7)[: len(layout)], seed=0)
    weight = values(6, 3, seed=1)
    given = {"weight": weight, "eps": 0.0} if norm is WEIGHT else {}
    printed = eval(norm.code, {"F": F, "torch": torch, "x": x, "weight": weight})
    assert_close(printed, norm.apply(x, layout, **given).y)


@ENTRIES
def test_an_entry_stands_under_its_own_key(norm: Norm) -> None:
    assert CATALOGUE[norm.key] is norm


@ENTRIES
def test_an_equation_is_latex_of_the_summed_inputs_with_its_braces_closed(norm: Norm) -> None:
    assert re.search(r"a_[ij]", norm.equation)
    depth = 0
    for brace in re.findall(r"[{}]", norm.equation):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_no_two_entries_are_drawn_alike(mode: int) -> None:
    lines = {(norm.color[mode], norm.dash) for norm in CATALOGUE.values()}
    assert len(lines) == len(CATALOGUE)


def test_labels_are_told_apart() -> None:
    assert len({norm.label for norm in CATALOGUE.values()}) == len(CATALOGUE)


def test_norms_that_take_statistics_of_the_values_have_dashes_of_their_own() -> None:
    dashes = [norm.dash for norm in CATALOGUE.values() if norm.shares and not norm.from_weights]
    assert len(set(dashes)) == len(dashes)
