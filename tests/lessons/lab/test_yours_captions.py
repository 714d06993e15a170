"""What is said of a visitor's runs, and where they are opened, wherever they have got to."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Chart, Explorable
from lnviz.lessons.lab.trainings import load_trainings
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.run_arrays import to_result
from tests.lessons.lab.test_yours import ASKED, STATES, changed, got_to, of, record, texts

ONE = replace(ASKED, norms=("layer",), batch_sizes=(4,), rates=(0.1,), seeds=(3,))


def told(figure: Explorable, **state: Any) -> list[str]:
    return list(texts(figure, figure.state_at(**state) if state else None))


def inside(figure: Explorable, title: str) -> list[Chart]:
    views = [v for row in figure.views for v in row if isinstance(v, Chart)]
    return [view for view in views if view.title.startswith(title)]


@pytest.mark.slow
@pytest.mark.parametrize(("norms", "is_said"), [(("layer", "batch"), True), (("layer",), False)])
def test_a_norm_before_the_softmax_is_said_of_batchnorm_alone(
    norms: tuple[str, ...], is_said: bool
) -> None:
    found = told(of(record(replace(ASKED, norms=norms, head="paper"))))
    assert any("before the softmax" in text for text in found) == is_said


def test_the_inside_opens_at_a_batch_size_that_has_numbers() -> None:
    # What trains first is the smallest here.
    one_size = replace(ASKED, batch_sizes=(1,))
    begun = replace(record(one_size, ended=1, half=40), specification=ASKED)
    figure = of(begun)
    state = figure.state_at(show="inside")
    assert state["batch size"] == 0
    assert figure.lookup("none activations", state).isfinite().all()


@pytest.mark.slow
@pytest.mark.parametrize("part", ["curves", "inside"])
def test_it_is_said_of_which_norms_nothing_is_known(part: str) -> None:
    found = told(got_to("half"), show=part)  # no norm in both sizes, BatchNorm begun
    assert "No results yet at batch size 4 with: LayerNorm." in found
    done = told(got_to("done"), show=part)
    assert not any("Nothing is known" in text for text in done)


def test_what_is_0_is_said_since_a_logarithmic_axis_is_blank_there() -> None:
    figure = got_to("a rate without gradients")
    said = "At step {step} with batches of {batch size} at a learning rate of {learning rate}, "
    said += "gradients with no norm are exactly 0 in "
    at_0 = told(figure, show="inside", learning_rate=0.01)
    assert any(text.startswith(said) for text in at_0)
    state = figure.state_at(show="inside", learning_rate=0.01)
    assert_close(figure.lookup("none gradients zeros", state), torch.tensor(3.0), check_dtype=False)
    others = list(texts(figure, figure.state_at(show="inside", learning_rate=0.001)))
    assert not any("exactly 0" in text for text in others)


@pytest.mark.parametrize(("factor", "charts"), [(1.5, 1), (1e6, 2)])
def test_learning_rates_that_differ_much_have_axes_of_their_own(factor: float, charts: int) -> None:
    figure = of(changed(STATES["done"], "gradients", 0, factor))
    drawn = inside(figure, "Gradients")
    assert len(drawn) == charts
    assert len(inside(figure, "Activations")) == 1
    assert any(
        text.startswith("The values differ a lot between the learning rates in gradients, ")
        for text in texts(figure)
    ) == (charts > 1)
    for chart in drawn:
        (rate, *_) = chart.when.get("learning rate", (0.01,))
        state = figure.state_at(show="inside", learning_rate=rate)
        low, high = chart.figure.layout.yaxis.range
        values = figure.lookup("layer gradients", state)
        assert ((values >= low) & (values <= high)).all()
        assert high - low < 4


def test_no_test_is_promised_to_runs_that_may_be_stopped() -> None:
    found = told(got_to("half"), show="reached", group=3)
    assert any("is tested once, after all its steps" in text for text in found)


def test_errors_are_looked_at_in_measurements_that_are_not_drawn() -> None:
    found = STATES["many points"]
    dip = next(p for p in found.metrics if p.step == 9)  # it is not drawn
    assert dip.step not in load_trainings([to_result(found)], EXPERIMENTS["digits"]).steps
    lucky = replace(dip, values=dip.values | {"validation error": [0.001] * 4})
    points = tuple(lucky if p is dip else p for p in found.metrics)
    figure = of(replace(found, metrics=points))
    cell = [("none", 1), ("none", 4)].index((dip.norm, dip.batch_size))
    state = figure.state_at(show="reached", group=cell, error_to_reach=1.0)
    assert float(figure.lookup("best of all", state)[cell]) == pytest.approx(0.1)
    assert float(figure.lookup("median of all", state)[cell]) == 9.0
    assert any("is measured only 667 times in a run, so" in text for text in texts(figure))
    assert any("The chart shows 96 of the 667 measurements" in text for text in texts(figure))
