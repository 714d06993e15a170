import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from lnviz.norms import BATCH
from lnviz.topics.batch import running_statistics

SEEDS = st.integers(0, 2**31 - 1)
MOMENTA = st.sampled_from([0.0, 0.01, 0.1, 0.5, 1.0])


def batches(count: int, cases: int, units: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return 3 * torch.randn(count, cases, units, generator=generator) + 1


@given(
    count=st.integers(1, 6),
    cases=st.integers(2, 6),
    units=st.integers(1, 4),
    momentum=MOMENTA,
    seed=SEEDS,
)
@settings(max_examples=30)
def test_step_by_step_they_are_the_buffers_of_batchnorm1d(
    count: int, cases: int, units: int, momentum: float, seed: int
) -> None:
    x = batches(count, cases, units, seed)
    found = running_statistics(x, momentum)
    norm = nn.BatchNorm1d(units, momentum=momentum, affine=False)
    for step, batch in enumerate(x):
        in_training = norm.train()(batch)
        assert_close(BATCH.apply(batch, "ND").y, in_training, rtol=1e-4, atol=1e-4)
        assert_close(found.mean[step], norm.running_mean)
        assert_close(found.var[step], norm.running_var)
        at_inference = BATCH.apply(batch, "ND", mean=found.mean[step], var=found.var[step]).y
        assert_close(at_inference, norm.eval()(batch), rtol=1e-4, atol=1e-4)


@given(seed=SEEDS)
@settings(max_examples=30)
def test_a_tensor_of_momenta_sweeps_them(seed: int) -> None:
    x, momenta = batches(4, 3, 2, seed), torch.tensor([[0.0, 0.1], [0.7, 1.0]])
    swept = running_statistics(x, momenta)
    assert swept.mean.shape == (2, 2, 4, 2)
    for place, momentum in [((0, 1), 0.1), ((1, 1), 1.0)]:
        alone = running_statistics(x, momentum)
        assert_close(swept.mean[place], alone.mean)
        assert_close(swept.var[place], alone.var)


def test_at_momentum_0_nothing_is_learned_and_at_1_the_last_batch_is_all() -> None:
    x = batches(5, 4, 3, seed=0)
    never, last = running_statistics(x, 0.0), running_statistics(x, 1.0)
    assert not never.mean.any()
    assert bool((never.var == 1).all())
    assert torch.equal(last.mean, x.mean(1))
    assert torch.equal(last.var, x.var(1))


@pytest.mark.parametrize("momentum", [-0.1, 1.1, float("nan")])
def test_a_momentum_outside_0_and_1_is_refused(momentum: float) -> None:
    with pytest.raises(ValueError, match=rf"from 0 to 1, got {momentum:g}\. PyTorch's default"):
        running_statistics(batches(2, 3, 1, seed=0), momentum)


def test_a_batch_of_one_case_is_refused_as_in_pytorch() -> None:
    x = batches(2, 1, 3, seed=0)
    with pytest.raises(ValueError, match="Expected more than 1 value per channel"):
        nn.BatchNorm1d(3)(x[0])
    with pytest.raises(ValueError, match=r"needs 2 cases or more in a batch, got x of shape \(2,"):
        running_statistics(x)


@settings(max_examples=10)
@given(cases=st.integers(1, 3), channels=st.integers(1, 3), side=st.integers(2, 3), seed=SEEDS)
def test_with_places_as_cases_they_are_the_buffers_of_batchnorm2d(
    cases: int, channels: int, side: int, seed: int
) -> None:
    images = batches(3, cases, channels * side * side, seed).unflatten(2, (channels, side, side))
    found = running_statistics(images.movedim(2, -1).flatten(1, 3))
    norm = nn.BatchNorm2d(channels, affine=False)
    for step, batch in enumerate(images):
        in_training = norm.train()(batch)
        assert_close(BATCH.apply(batch, "NCHW").y, in_training, rtol=1e-4, atol=1e-4)
        assert_close(found.mean[step], norm.running_mean)
        assert_close(found.var[step], norm.running_var)
        kept = (found.mean[step][:, None, None], found.var[step][:, None, None])
        at_inference = BATCH.apply(batch, "NCHW", mean=kept[0], var=kept[1]).y
        assert_close(at_inference, norm.eval()(batch), rtol=1e-4, atol=1e-4)
