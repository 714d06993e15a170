"""The points of the playground: figures by formula, and what a reader sets."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lnviz.topics.playground.data import ALPHABET, EDGE, FIGURES, PointsError, plane, points

LETTERS = st.text(ALPHABET, min_size=4, max_size=40).map(lambda text: text[: len(text) // 2 * 2])


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_has_as_many_points_of_each_class_within_the_plane(figure: str) -> None:
    found = points(figure)
    for x, classes in ((found.x, found.classes), (found.test_x, found.test_classes)):
        assert x.abs().max() <= EDGE
        assert classes.bincount().tolist() == [len(x) // 2] * 2
    assert torch.equal(points(figure).x, found.x)
    assert not torch.isin(found.test_x[:, 0], found.x[:, 0]).any()


def test_the_spirals_arms_are_a_half_turn_apart_and_xor_is_a_product_of_signs() -> None:
    spiral, xor = points("spiral"), points("xor")
    turned = torch.cdist(-spiral.x[spiral.classes == 0], spiral.x[spiral.classes == 1])
    assert turned.amin(1).max() < 0.5  # turned by a half turn one arm lies on the other
    assert torch.equal(xor.x.prod(1) < 0, xor.classes.bool())


@given(first=LETTERS, second=LETTERS)
def test_a_readers_points_stand_where_they_were_set(first: str, second: str) -> None:
    found = points(f"own.{first}.{second}")
    assert found.classes.bincount().tolist() == [len(first) // 2, len(second) // 2]
    steps = ((found.x / EDGE + 1) / 2 * 63).round().long()
    assert "".join(ALPHABET[step] for step in steps.flatten()) == first + second
    assert found.x.abs().max() <= EDGE


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("own.", "No points can be read from this address: it needs 'own.'"),
        ("own.00!0.0000", "two of 64 letters"),
        ("own.0000.0000.0000", "two of 64 letters"),
        ("own.000.00000", "has only one. Draw them again"),
        ("own.0000.", "one of each class or more, got 2 and 0"),
        ("own.00.00", "There must be 4 to 200 points in all"),
        ("own." + "00" * 200 + ".00", "got 200 and 1"),
    ],
)
def test_other_points_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(PointsError, match=sentence):
        points(text)


def test_pictures_begin_at_the_upper_left() -> None:
    expected = [[-1.2, 1.2], [1.2, 1.2], [-1.2, -1.2], [1.2, -1.2]]
    torch.testing.assert_close(plane(2), torch.tensor(expected))
