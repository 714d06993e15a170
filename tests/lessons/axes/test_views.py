import itertools
from decimal import ROUND_HALF_UP, Context, Decimal

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.explorable import CellPicker, Slider
from tests.explorable.decoding import decode
from tests.lessons.axes.grids import (
    ARRAYS,
    DATA,
    EXAMPLES,
    grid,
    grids,
    norms,
    sentences,
    table,
)
from tests.lessons.running import control


@pytest.mark.parametrize("data", [*EXAMPLES, "wide"])
@pytest.mark.parametrize(("row", "unit"), [(1, 0), (0, 5)])
def test_the_margins_hold_the_statistics_of_the_part_that_is_pointed_at(
    data: str, row: int, unit: int
) -> None:
    figure = grid(data)
    cell = row * 6 + unit
    for margin in grids(figure)[0].margins:
        norm = margin.when["norm"][0]
        tensor = "mean" if margin.label == "mean" else "var"
        for size in (2, control(figure, "batch size").size):
            shown = table(figure, tensor, norm=norm, batch_size=size)
            values = figure.lookup(margin.values, figure.state_at(batch_size=size, cell=cell)).cpu()
            expected = shown[0] if margin.side == "column" else shown[:, unit]
            assert_close(values, expected, equal_nan=True)


@pytest.mark.parametrize("data", [*EXAMPLES, "wide", "large numbers"])
def test_the_margins_of_the_output_show_mean_0_and_variance_1(data: str) -> None:
    figure = grid(data)
    (output,) = (view for view in grids(figure) if view.values == "x_hat")
    seen = set()
    for margin in output.margins:
        size = control(figure, "batch size").size
        values = figure.lookup(margin.values, figure.state_at(batch_size=size)).cpu()
        assert_close(values.round(decimals=2), torch.full_like(values, margin.label != "mean"))
        seen.add((margin.when["norm"][0], margin.label))
    assert seen >= {("batch", "mean"), ("batch", "var"), ("layer", "var"), ("rms", "mean sq.")}


@pytest.mark.parametrize("data", EXAMPLES)
def test_the_sums_that_are_written_out_give_the_mean_and_the_variance(data: str) -> None:
    figure = grid(data)
    for norm, size in itertools.product(norms(figure), (1, 2, len(table(figure, "x")))):
        for cell in range(0, size * 6, 5):
            state = figure.state_at(norm=norm, batch_size=size, cell=cell)
            for terms, total, value in (
                ("terms", "total", "mean"),
                ("squares", "total squares", "var"),
            ):
                numbers = figure.lookup(terms, state)
                numbers = numbers[~numbers.isnan()]
                sum_, mean = (float(figure.lookup(name, state)) for name in (total, value))
                if norm != "rms" or value == "var":
                    assert float(numbers.sum()) == pytest.approx(sum_, abs=1e-4)
                    assert float(numbers.mean()) == pytest.approx(mean, abs=1e-5)


def test_a_sum_of_more_numbers_than_a_line_holds_is_not_written_out() -> None:
    lines = sentences(grid("wide"))
    assert "Mean: {total:4} / 30 {mean sign} {mean:4 stat}" in lines
    assert "Mean: ({terms:2+}) / 15 {sum sign} " in lines  # GroupNorm's part


def as_shown(value: Tensor | float, form: str) -> Decimal:
    """A number as the browser displays it."""
    number = Decimal(float(value))
    if form.startswith("g"):
        return Context(int(form[1:]), ROUND_HALF_UP).create_decimal(number)
    sent = number.quantize(Decimal("0.0001"))
    return sent.quantize(Decimal(1).scaleb(-int(form)), ROUND_HALF_UP)


@pytest.mark.parametrize("data", DATA)
def test_a_sum_and_a_quotient_are_equal_only_where_they_are_so_as_shown(data: str) -> None:
    figure = grid(data)
    lines = sentences(figure)
    form, line = ("2", "4") if "Mean: ({terms:2+})" in lines else ("g2", "g5")
    for terms, total, mean, label in (
        ("terms", "total", "mean", "Mean"),
        ("squares", "total squares", "var", "Variance"),
    ):
        signs = ("sum sign" if terms == "terms" else "squares sign", f"{mean} sign")
        summed, divided = (figure.tensors[sign].words for sign in signs)
        assert summed == divided == ("≈", "=")
        assert f"{label}: ({{{terms}:{form}+}}) / " in lines
        assert f" {{{signs[0]}}} {{{total}:{line}}} / " in lines
        assert f" {{{signs[1]}}} {{{mean}:{line} stat}}" in lines
        for norm, size in itertools.product(norms(figure), (1, 2, 3)):
            if size > control(figure, "batch size").size or (norm == "rms" and mean == "mean"):
                continue
            for cell in range(0, size * len(table(figure, "x")[0]), 5):
                state = figure.state_at(norm=norm, batch_size=size, cell=cell)
                numbers = figure.lookup(terms, state)
                numbers = numbers[~numbers.isnan()]
                sum_, quotient = (as_shown(figure.lookup(of, state), line) for of in (total, mean))
                if len(numbers):  # else there are too many to write out
                    adds_up = sum(as_shown(number, form) for number in numbers) == sum_
                    assert figure.lookup(signs[0], state) == adds_up
                    assert figure.lookup(signs[1], state) == (quotient * len(numbers) == sum_)


@pytest.mark.parametrize("data", DATA)
def test_the_batch_size_goes_from_one_to_all_the_cases_on_the_screen(data: str) -> None:
    figure = grid(data)
    slider, pointer = control(figure, "batch size"), control(figure, "cell")
    assert isinstance(slider, Slider)
    assert isinstance(pointer, CellPicker)
    assert slider.values == tuple(range(1, len(pointer.rows) + 1))
    assert slider.start == len(pointer.rows)


def test_very_small_numbers_are_written_in_full() -> None:
    figure = grid("tiny")
    x = ARRAYS["tiny"]
    stored = decode(figure.tensors["x"].payload())
    assert_close(torch.as_tensor(stored).reshape(x.shape).float(), x, rtol=1e-6, atol=0)


@pytest.mark.parametrize("word", ["mean", "bias"])
def test_no_title_speaks_of_what_rmsnorm_does_not_do(word: str) -> None:
    titles = [view.title for view in grids(grid("worked")) if "rms" in view.when.get("norm", "rms")]
    assert not [title for title in titles if word in title and f"no {word}" not in title]
