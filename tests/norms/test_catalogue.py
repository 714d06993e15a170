"""The catalogue of norms: one entry says all that is printed, drawn and computed."""

import math
import re
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.testing import assert_close

from lnviz.norms import ADA, CATALOGUE, DERF, NONE, POWER, RMS, SCALE, WEIGHT, Norm

ENTRIES = pytest.mark.parametrize("norm", CATALOGUE.values(), ids=CATALOGUE)


def values(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@ENTRIES
def test_the_code_of_an_entry_computes_what_the_entry_does(norm: Norm) -> None:
    # InstanceNorm shares along places alone: its code needs some.
    layout = "NCL" if norm.key == "instance" else "ND"
    x = values(*(5, 6, 7)[: len(layout)], seed=0)
    weight = values(6, 3, seed=1)
    # Epsilon is not added to a mean square there.
    given = {WEIGHT: {"weight": weight, "eps": 0.0}, SCALE: {"eps": 0.0}}.get(norm, {})
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


@ENTRIES
def test_a_shape_that_is_said_holds_as_many_statistics_as_there_are_groups(norm: Norm) -> None:
    sizes = {"N": 4, "C": 6, "D": 6, "H": 3, "W": 5, "G": norm.group_count or 0, "1": 1}
    for written in re.findall(r"\((\w(?:, \w)+)\)", norm.note):
        letters = written.split(", ")
        layout = "NCHW" if set(letters) & set("CG") else "ND"
        groups = norm.groups([sizes[axis] for axis in layout], layout)
        assert int(groups.max()) + 1 == math.prod(sizes[letter] for letter in letters)


@ENTRIES
def test_what_is_said_goes_on_from_the_equation_to_the_end_of_a_sentence(norm: Norm) -> None:
    assert re.fullmatch(r"[,;] .+\.", norm.note) or norm is NONE


@ENTRIES
def test_the_family_says_whether_other_cases_and_other_units_count(norm: Norm) -> None:
    layout = "NCL" if norm.family == "places" else "ND"
    shape = (4, 6, 5)[: len(layout)]
    x, weight = values(*shape, seed=8), values(6, 3, seed=9)
    before = norm.apply(x, layout, weight=weight).y

    def moves(cell: tuple[int, ...], others: Tensor) -> bool:
        after = norm.apply(others, layout, weight=weight).y
        return not torch.allclose(after[cell], before[cell])

    other_case, other_units = x.clone(), x.clone()
    other_case[1] += 1 + other_case[1].square()
    other_units[0, 1:] += 1 + other_units[0, 1:].square()
    assert moves((0,), other_case) == (norm.family == "batch")
    assert moves((0, 0), other_units) == (norm.family == "case") or norm.family == "batch"


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_no_two_entries_are_drawn_alike(mode: int) -> None:
    lines = {(norm.color[mode], norm.dash) for norm in CATALOGUE.values()}
    assert len(lines) == len(CATALOGUE)


def test_labels_are_told_apart() -> None:
    assert len({norm.label for norm in CATALOGUE.values()}) == len(CATALOGUE)


def test_norms_that_take_statistics_of_the_values_have_dashes_of_their_own() -> None:
    dashes = [
        norm.dash for norm in CATALOGUE.values() if norm.shared_axes and not norm.from_weights
    ]
    assert len(set(dashes)) == len(dashes)


# Written out, one line of the papers a line, with epsilon where the catalogue has it.


def ada(x: Tensor, eps: float) -> Tensor:
    y = (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + eps).sqrt()
    return (1 - (y / 10).detach()) * y


def power(x: Tensor, eps: float) -> Tensor:
    return x / ((x**2).mean(0) + eps).sqrt()


def scale(x: Tensor, eps: float) -> Tensor:
    return 6**0.5 * x / ((x**2).sum(-1, keepdim=True) + 6 * eps).sqrt()


def derf(x: Tensor, eps: float) -> Tensor:
    return torch.erf(x / 2)


@pytest.mark.parametrize(
    ("norm", "written_out"), [(ADA, ada), (POWER, power), (SCALE, scale), (DERF, derf)]
)
def test_a_successor_is_what_its_paper_writes(
    norm: Norm, written_out: Callable[[Tensor, float], Tensor]
) -> None:
    x = values(5, 6, seed=2).double().requires_grad_()
    gain, weights = values(6, seed=3).double(), values(5, 6, seed=4).double()
    found = norm.apply(x, "ND", gain=gain, bias=0.5, eps=1e-3).y
    expected = gain * written_out(x, 1e-3) + 0.5
    assert_close(found, expected)
    gradients = [torch.autograd.grad((y * weights).sum(), x)[0] for y in (found, expected)]
    assert_close(*gradients)


def test_scalenorm_starts_as_pytorchs_rmsnorm() -> None:
    x = values(5, 6, seed=5)
    assert_close(SCALE.apply(x, "ND").y, F.rms_norm(x, (6,), eps=1e-5))
    assert SCALE.one_gain
    assert not RMS.one_gain


def test_powernorm_at_inference_takes_the_mean_of_squares_it_is_given() -> None:
    x, running = values(5, 6, seed=6), torch.full((6,), 4.0)
    assert_close(POWER.apply(x, "ND", var=running, eps=0.0).y, x / 2)


def test_adanorm_of_half_precision_is_rounded_once() -> None:
    x = values(5, 6, seed=7).half()
    assert torch.equal(ADA.apply(x, "ND").y, ADA.apply(x.float(), "ND").y.half())
