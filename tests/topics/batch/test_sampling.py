import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lnviz.topics.batch.sampling import epoch_batches, shuffled_epochs


@given(
    cases=st.integers(1, 9),
    size=st.integers(1, 9),
    count=st.integers(1, 20),
    seed=st.integers(0, 2**31 - 1),
)
@settings(max_examples=30)
def test_a_mini_batch_holds_no_case_twice_and_an_epoch_neither(
    cases: int, size: int, count: int, seed: int
) -> None:
    size = min(size, cases)
    per_epoch = cases // size
    generator = torch.Generator().manual_seed(seed)
    order = shuffled_epochs(cases, -(-count // per_epoch), generator)
    batches = epoch_batches(order, size, count)
    assert batches.shape == (count, size)
    for epoch in batches.split(per_epoch):
        assert len(epoch.unique()) == epoch.numel()
