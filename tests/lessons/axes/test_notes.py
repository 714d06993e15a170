import itertools
import json

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.explorable import Explorable, Readout
from lnviz.lessons.axes.grid import build
from lnviz.number_format import number
from tests.drawing import drawn
from tests.lessons.axes.grids import EPS, EXAMPLES, grid, norms, own, sentences
from tests.lessons.running import control, views


def test_a_window_says_which_part_of_the_array_it_is() -> None:
    figure = build(own(drawn(2000, 100)), 0, 1001, 51)
    pointer = control(figure, "cell")
    assert pointer.rows[0].endswith("1001")
    assert pointer.columns == tuple(str(n) for n in range(51, 57))
    notes = [view.text for view in views(figure, Readout)]
    numbers = ("2,000", "100", "1,001", "1,016", "51", "56")
    assert [note for note in notes if all(number in note for number in numbers)]


def said(figure: Explorable, **state: object) -> set[str]:
    """Which of the sentences for special cases are shown at a state."""
    shown = (
        view.if_finite
        for row in figure.views
        for view in row
        if isinstance(view, Readout) and view.style == "verdict" and view.if_finite
    )
    return {name for name in shown if not figure.lookup(name, figure.state_at(**state)).isnan()}


SPECIAL = {
    "equal": torch.full((3, 4), 2.5),
    "zero": torch.zeros(3, 4),
    "vanished": 1e-30 * drawn(3, 4),
    "small variance": 0.003 * drawn(3, 4),
    "endless": 1e30 * drawn(3, 4),
}


@pytest.mark.parametrize(
    ("name", "norm", "expected"),
    [
        ("equal", "layer", {"equal"}),
        ("equal", "batch", {"equal"}),
        ("equal", "group", {"equal"}),
        ("equal", "rms", set()),
        ("zero", "rms", {"zero"}),
        ("zero", "layer", {"equal"}),
        ("vanished", "layer", {"vanished"}),
        ("vanished", "rms", {"vanished"}),
        ("small variance", "layer", {"small variance"}),
        ("small variance", "batch", {"small variance"}),
        ("small variance", "rms", {"small square"}),
        ("endless", "layer", {"endless"}),
        ("endless", "rms", {"endless"}),
    ],
)
def test_what_is_special_about_the_outline_is_said(
    name: str, norm: str, expected: set[str]
) -> None:
    figure = build(own(SPECIAL[name]))
    assert said(figure, norm=norm) == expected
    json.dumps(figure.payload(), allow_nan=False)


def test_equal_numbers_whose_mean_is_rounded_are_told_from_those_whose_variance_is_0() -> None:
    seen = set()
    for size, value in itertools.product((4, 7, 11), (0.1, 123.4, 16777.77)):
        figure = build(own(torch.full((size, 143), value)))
        for norm in ("batch", "layer", "group"):
            is_zero = not figure.lookup("var", figure.state_at(norm=norm))
            assert said(figure, norm=norm) == {"equal" if is_zero else "rounded"}
            seen.add(is_zero)
        assert not said(figure, norm="rms")
    assert seen == {True, False}


def test_numbers_of_32_bits_end_where_it_is_said() -> None:
    most = torch.finfo(torch.float32)
    assert f"32-bit numbers end at {number(most.max, 'p2')}." in sentences(
        build(own(SPECIAL["endless"]))
    )
    assert (SPECIAL["endless"].square() == torch.inf).any()
    assert not SPECIAL["vanished"].square().any()


@pytest.mark.parametrize("name", SPECIAL)
def test_a_batch_of_one_is_not_called_special(name: str) -> None:
    figure = build(own(SPECIAL[name]))
    assert said(figure, norm="batch", batch_size=1) <= {"endless"}


@pytest.mark.parametrize("data", [*EXAMPLES, "wide"])
def test_nothing_is_special_about_the_examples(data: str) -> None:
    assert not said(grid(data))


def test_a_variance_beside_epsilon_is_named_with_what_is_left_of_it() -> None:
    x = SPECIAL["small variance"]
    figure = build(own(x))
    after = F.layer_norm(x, (4,), eps=EPS).var(1, correction=0)[0]
    assert_close(figure.lookup("exact var", figure.state_at(cell=0)), x[0].var(correction=0))
    assert figure.tensors["exact var"].decimals is None
    assert_close(figure.lookup("after var", figure.state_at(cell=0)), after, rtol=1e-3, atol=1e-4)


def test_a_case_outside_the_batch_is_the_only_one_said_to_be_there() -> None:
    figure = build(own(SPECIAL["endless"]))
    inside = [
        figure.lookup("inside", figure.state_at(batch_size=2, cell=c)).isnan() for c in (0, 4, 8)
    ]
    assert inside == [False, False, True]


@pytest.mark.parametrize("width", [2, 7, 13])
def test_a_prime_width_has_no_groups_and_that_is_said(width: int) -> None:
    figure = build(own(drawn(3, width)))
    assert norms(figure) == ["batch", "layer", "rms"]
    assert f"{width} features can’t be split" in sentences(figure)


def test_the_examples_do_not_speak_of_groups_that_cannot_be() -> None:
    assert "cannot be cut" not in sentences(grid("worked"))


def test_the_digits_are_seen_and_their_labels_explained() -> None:
    figure = grid("digits 0")
    assert figure.lookup("pictures", figure.start_state()).shape == (16, 8, 8)
    assert "digit 0 (2) is the second 0" in sentences(figure)
    assert "second 0" not in sentences(grid("worked"))
