import itertools
import re

import pytest
import torch
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
    assert "Mean: {total:4} / 30 = {mean:4 stat}" in lines
    assert "Mean: ({terms:2+}) / 15 ≈ " in lines  # GroupNorm's part


@pytest.mark.parametrize("data", DATA)
def test_a_written_sum_is_equal_only_where_its_terms_add_up_as_they_are_shown(data: str) -> None:
    figure = grid(data)
    lines = sentences(figure)
    form = "2" if "Mean: ({terms:2+})" in lines else "g2"
    assert f"Mean: ({{terms:{form}+}}) / " in lines
    assert not re.search(rf"\({{squares:{form}\+}}\) / \S+( \S+)? = ", lines)
    x = table(figure, "x")
    adds_up = form == "2" and torch.allclose(x, (100 * x).round() / 100)
    assert adds_up == (data == "worked")
    sign = "=" if adds_up else "≈"
    assert re.search(rf"\({{terms:{form}\+}}\) / \S+( \S+)? {sign} ", lines)


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
