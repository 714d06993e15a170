import math
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.explorable import Chart, Slider
from lnviz.lessons.recurrence.factor import LEAST, SIZE, STEPS
from tests.lessons.running import built, said

POSITIONS = st.integers(0, 225)
HALF = torch.finfo(torch.float16)


figure = partial(built, "recurrence", "factor")


def slider() -> Slider:
    (found,) = figure().controls
    assert isinstance(found, Slider)
    return found


def at(tensor: str, position: int) -> torch.Tensor:
    return figure().lookup(tensor, {"per-step factor": position}).cpu()


def test_the_factor_goes_from_decay_through_one_to_growth() -> None:
    found = slider()
    assert found.name == "per-step factor"
    assert (found.values[0], found.values[-1]) == (0.8, 1.25)
    assert {0.9, 1.0, 1.1} <= set(found.values)
    assert found.size > 200


@given(POSITIONS)
def test_a_hundred_steps_are_the_hundredth_power(position: int) -> None:
    power = slider().values[position] ** 100
    assert float(at("last single", position)) == pytest.approx(power, rel=1e-3)
    assert len(at("single", position)) == len(at("layer", position)) == 101


@given(POSITIONS)
def test_layernorms_trace_is_flat(position: int) -> None:
    assert_close(at("layer", position), torch.zeros(101), rtol=0, atol=1e-4)


@given(POSITIONS)
def test_half_precision_is_drawn_up_to_its_end(position: int) -> None:
    half, end = at("half", position), at("end", position).item()
    drawn = half.isfinite()
    last = int(drawn.sum()) - 1
    assert drawn[: last + 1].all()
    if last == 100:
        assert end != end  # no mark where nothing ends
    else:
        assert end == last
        assert at("half fails", position) == last + 1
        assert at("end height", position) == half[last]


@given(POSITIONS)
def test_one_sentence_says_what_becomes_of_half_precision(position: int) -> None:
    state = {"per-step factor": position}
    conditional = [v for v in said(figure(), state) if v.when and v.style == "note"]
    assert len(conditional) == 1
    overflows, vanishes = (
        position_of in conditional[0].text for position_of in ("overflow", "zero")
    )
    last = float(at("last single", position))
    assert overflows == (not at("half", position).isfinite().all() and last > 1)
    assert vanishes == (not at("half", position).isfinite().all() and last < 1)


@given(POSITIONS)
@settings(max_examples=15)
def test_half_precision_ends_with_its_largest_or_its_last_unit(position: int) -> None:
    generator = torch.Generator().manual_seed(0)
    size = SIZE
    turn, _ = torch.linalg.qr(torch.randn(size, size, generator=generator, dtype=torch.float64))
    h = torch.randn(size, generator=generator, dtype=torch.float64)
    h = (h / h.square().mean().sqrt()).half()
    weight = (slider().values[position] * turn).half()
    lost = 0
    while lost <= STEPS and h.isfinite().all() and h.any():
        h, lost = (weight * h).sum(-1), lost + 1
    assert at("half fails", position) == lost


def test_the_limits_drawn_are_those_of_half_precision() -> None:
    least = torch.tensor(LEAST).half()
    assert least > 0
    assert least / 2 == 0
    (chart,) = figure().views[0]
    assert isinstance(chart, Chart)
    heights = [shape.y0 for shape in chart.figure.layout.shapes]
    assert [10**height for height in heights] == pytest.approx([HALF.max, LEAST])
    assert [note.y for note in chart.figure.layout.annotations] == heights


@pytest.mark.parametrize("position", [0, 100, 225])
def test_numbers_of_the_sentences_come_from_the_types(position: int) -> None:
    text = " ".join(view.text for view in said(figure(), {"per-step factor": position}))
    limits = {0: ("6.0 × 10⁻⁸", "1.2 × 10⁻³⁸"), 225: ("65,504", "3.4 × 10³⁸")}
    assert all(limit in text for limit in limits.get(position, ()))
    assert "¹⁰⁰ ≈ " in text


def test_a_factor_of_1_002_leaves_float32_at_the_step_that_its_logarithm_says() -> None:
    step = math.ceil(math.log(torch.finfo(torch.float32).max) / math.log(1.002))
    assert at("single fails", slider().index(1.002)) == step
