import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.topics.batch import masked_statistics

SEEDS = st.integers(0, 2**31 - 1)


@given(
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=5),
    units=st.integers(1, 4),
    more=st.integers(0, 3),
    padding=st.sampled_from([0.0, 7.0, float("inf"), float("nan")]),
    seed=SEEDS,
)
@settings(max_examples=30)
def test_masked_they_are_those_of_the_sequences_put_together_one_by_one(
    lengths: list[int], units: int, more: int, padding: float, seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    sequences = [torch.randn(n, units, generator=generator) for n in lengths]
    x = torch.full((len(lengths), max(lengths) + more, units), padding)
    mask = torch.zeros(x.shape[:2], dtype=torch.bool)
    for row, sequence in enumerate(sequences):
        x[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = True
    var, mean = torch.var_mean(torch.cat(sequences), 0, correction=0)
    found = masked_statistics(x, mask)
    assert_close(found.mean, mean)
    assert_close(found.var, var)


def test_masks_may_be_swept() -> None:
    x = torch.randn(3, 4, 2, generator=torch.Generator().manual_seed(0))
    masks = torch.stack([torch.arange(4).expand(3, 4) < size for size in (2, 4)])
    swept = masked_statistics(x, masks)
    for mean, var, mask in zip(swept.mean, swept.var, masks, strict=True):
        assert_close(mean, masked_statistics(x, mask).mean)
        assert_close(var, masked_statistics(x, mask).var)


def test_a_sequence_that_is_all_padding_is_named() -> None:
    mask = torch.tensor([[True, False], [False, False]])
    with pytest.raises(ValueError, match=r"got none in sequence 1 \(counted from 0\)\. Leave such"):
        masked_statistics(torch.ones(2, 2, 1), mask)


def test_a_mask_has_the_shape_of_the_places() -> None:
    with pytest.raises(ValueError, match=r"got shape \(2, 3\) for x of shape \(2, 2, 1\)\. Give"):
        masked_statistics(torch.ones(2, 2, 1), torch.ones(2, 3, dtype=torch.bool))
