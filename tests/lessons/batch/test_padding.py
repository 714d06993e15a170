from functools import partial

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.lessons.batch.padding import EPS, LONGEST, MOST
from lnviz.topics.batch.padding import LENGTHS, padded_batches
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


@pytest.mark.parametrize("longest", [17, 20, 64])
def test_the_outputs_move_by_what_pytorch_computes(longest: int) -> None:
    batches = padded_batches(torch.tensor([int(LONGEST.values[0]), longest, MOST]), seed=0)
    state = figure().state_at(longest_sequence=longest)
    for name, statistics in (("with padding", batches.padded), ("with mask", batches.masked)):
        shortest, longer = (
            F.batch_norm(batches.word[None], mean, var, eps=EPS)
            for mean, var in zip(statistics.mean[:2], statistics.var[:2], strict=True)
        )
        moved = (longer - shortest).square().mean().sqrt()
        assert_close(figure().lookup(f"{name} moved", state), moved, rtol=1e-3, atol=1e-3)
        assert moved > 0
