import math

import pytest

from lnviz.explorable import Chart, Explorable, Readout
from lnviz.lessons.results.generation import MOST_TICKS, START, TOP
from lnviz.topics.paper import DRAW
from tests.lessons.running import texts, views

BEFORE, AFTER = DRAW.values[:, 0].tolist()


@pytest.fixture(scope="module")
def chart(figure: Explorable) -> Chart:
    (found,) = views(figure, Chart)
    return found


@pytest.mark.parametrize("start", [0.0, 40.0, 80.5, 82.0])
def test_a_bar_stands_as_high_as_its_number_lies_on_the_axis(
    figure: Explorable, start: float
) -> None:
    state = figure.state_at(axis_begins_at=start)
    for name, value in (("baseline", BEFORE), ("ln", AFTER)):
        height = figure.lookup(name, state).item()
        assert height * (TOP - start) + start == pytest.approx(value, abs=1e-6)
    ratio = figure.lookup("ratio", state).item()
    assert ratio == pytest.approx(100 * (AFTER - start) / (BEFORE - start), rel=1e-6)


def test_at_82_the_second_bar_is_a_quarter_as_high_and_from_0_nearly_the_same(
    figure: Explorable,
) -> None:
    assert figure.lookup("ratio", figure.state_at(axis_begins_at=82)).item() == pytest.approx(25)
    assert figure.lookup("ratio", figure.state_at(axis_begins_at=0)).item() == pytest.approx(
        99.67, abs=0.01
    )


def test_every_axis_has_a_few_ticks_where_their_numbers_lie(
    figure: Explorable, chart: Chart
) -> None:
    labels = [float(text.removesuffix(" –")) for text in chart.figure.data[3].text]
    for start in START.values:
        places = figure.lookup("ticks", figure.state_at(axis_begins_at=start))
        shown = {label: y for label, y in zip(labels, places.tolist(), strict=True) if y == y}
        assert 2 <= len(shown) <= MOST_TICKS + 1
        for label, y in shown.items():
            assert y == pytest.approx((label - start) / (TOP - start), abs=1e-6)


def test_the_difference_is_said_in_nats_shares_pixels_and_probabilities(
    figure: Explorable,
) -> None:
    text = texts(figure)
    gain = BEFORE - AFTER
    assert f"{gain:.2f} nats per image, {100 * gain / BEFORE:.2f}% of {BEFORE}" in text
    assert f"{gain / 784:.5f} nats for each of the 784 pixels" in text
    assert f"{math.exp(gain):.2f} times the probability" in text


def test_only_an_axis_from_0_is_said_to_show_the_difference_as_it_is(figure: Explorable) -> None:
    plain, factor = (view for view in views(figure, Readout) if view.style == "finding")
    assert plain.when == {START.name: (0.0,)}
    assert factor.if_finite == "cut"
    exaggeration, cut = (figure.tensors[name].values for name in ("exaggeration", "cut"))
    assert exaggeration[0] == 1
    assert cut[0].isnan()
    assert (cut[1:] > 1).all()
