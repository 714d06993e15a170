from functools import cache

from lnviz.explorable import Explorable
from lnviz.lessons.batch.padding import PADDING, REAL, build
from tests.lessons.running import printed


@cache
def figure() -> Explorable:
    return build()


def test_the_picture_holds_a_square_for_every_place_of_the_batch() -> None:
    state = figure().at(longest_sequence=20)
    squares = figure().lookup("places", state)
    assert int((squares == REAL).sum()) == 20 + 136
    assert int((squares == PADDING).sum()) == 16 * 20 - 156
    assert round(float(figure().lookup("percent", state))) == 51


def test_nothing_has_moved_at_the_shortest_and_under_layernorm_never() -> None:
    for name in ("with padding", "with mask", "layer"):
        assert figure().tensors[f"{name} moved"].values[0] == 0
    assert not figure().tensors["layer moved"].values.any()


def test_the_code_shows_a_word_three_times() -> None:
    padded, masked, layer = printed(figure(), figure().at(longest_sequence=64))
    assert padded.shape == masked.shape == layer.shape == (6,)
