from functools import partial

from lnviz.topics.batch.padding import LENGTHS
from tests.lessons.running import built, printed

figure = partial(built, "batch", "padding")


def test_all_sequences_are_filled_up_to_the_longest() -> None:
    state = figure().state_at(longest_sequence=20)
    assert figure().lookup("lengths", state).tolist() == [20, *LENGTHS]
    assert set(figure().lookup("filled", state).tolist()) == {20}
    assert round(float(figure().lookup("percent", state))) == 51


def test_nothing_has_moved_at_the_shortest_and_under_layernorm_never() -> None:
    for name in ("with padding", "with mask", "layer"):
        assert figure().tensors[f"{name} moved"].values[0] == 0
    assert not figure().tensors["layer moved"].values.any()


def test_the_code_shows_a_word_three_times() -> None:
    padded, masked, layer = printed(figure(), figure().state_at(longest_sequence=64))
    assert padded.shape == masked.shape == layer.shape == (6,)
