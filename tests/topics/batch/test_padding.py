import torch
from torch.testing import assert_close

from lnviz.topics.batch.padding import LENGTHS, padded_batches, text

FOUND = padded_batches(torch.tensor([16, 40]), seed=3)


def test_the_passage_follows_the_phrases_in_the_text() -> None:
    found = text(30)
    assert len(found.passage) == 30
    assert tuple(map(len, found.phrases)) == LENGTHS
    assert text(10).passage == found.passage[:10]


def test_zeros_as_padding_multiply_the_mean_by_the_share_of_real_places() -> None:
    share = FOUND.real.sum((1, 2)) / FOUND.inside.sum((1, 2))
    assert_close(FOUND.padded.mean, share[:, None] * FOUND.masked.mean, rtol=1e-4, atol=1e-5)


def test_and_the_mean_square_too() -> None:
    share = FOUND.real.sum((1, 2)) / FOUND.inside.sum((1, 2))
    padded, masked = (s.var + s.mean.square() for s in (FOUND.padded, FOUND.masked))
    assert_close(padded, share[:, None] * masked, rtol=1e-4, atol=1e-5)


def test_layernorm_does_not_care_how_long_others_are() -> None:
    assert torch.equal(FOUND.layer[0], FOUND.layer[1])
    moved = (FOUND.with_padding[1] - FOUND.with_padding[0]).square().mean()
    masked = (FOUND.with_mask[1] - FOUND.with_mask[0]).square().mean()
    assert moved > 4 * masked
