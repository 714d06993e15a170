import pytest
import torch

from lnviz.topics.cost.traffic import (
    Operation,
    Traffic,
    builtin_traffic,
    bytes_moved,
    minimal_traffic,
    trace,
    unfused_traffic,
)
from lnviz.topics.cost.ways import WRITTEN

N, D = torch.tensor(6.0), torch.tensor(10.0)


def passes(traffic: Traffic) -> tuple[int, int]:
    """How often all numbers are read and written, forward."""
    each = [operation.passes for operation in traffic.forward]
    return sum(reads for reads, _ in each), sum(writes for _, writes in each)


def test_layernorm_written_out_reads_everything_seven_times_and_writes_it_five_times() -> None:
    assert passes(unfused_traffic("layer")) == (7, 5)


def test_rmsnorm_written_out_reads_everything_four_times_and_writes_it_three_times() -> None:
    assert passes(unfused_traffic("rms")) == (4, 3)


def test_the_bytes_of_rmsnorm_are_those_counted_by_hand() -> None:
    n, d = 6, 10
    square = 2 * n * d
    mean = n * d + n
    epsilon = root = 2 * n
    divide = n * d + n + n * d
    gain = n * d + d + n * d
    by_hand = 4 * (square + mean + epsilon + root + divide + gain)
    assert bytes_moved(unfused_traffic("rms").forward, N, D, 4).item() == by_hand


def test_pytorchs_layernorm_is_one_operation_each_way() -> None:
    found = builtin_traffic("layer")
    assert [each.name for each in found.of(both=True)] == [
        "native_layer_norm",
        "native_layer_norm_backward",
    ]
    assert passes(found) == (1, 1)


@pytest.mark.parametrize("norm", WRITTEN)
def test_one_kernel_reads_every_input_and_writes_every_output_once(norm: str) -> None:
    learned = {"rms": 10, "dyt": 21}.get(norm, 20)
    found = minimal_traffic(norm)
    assert bytes_moved(found.forward, N, D, 2).item() == 2 * (60 + learned + 60)
    assert bytes_moved(found.backward, N, D, 2).item() == 2 * (60 + 60 + learned + 60 + learned)


@pytest.mark.parametrize("norm", WRITTEN)
def test_no_norm_written_out_moves_less_than_one_kernel(norm: str) -> None:
    for both in (False, True):
        written, least = unfused_traffic(norm).of(both), minimal_traffic(norm).of(both)
        assert bytes_moved(written, N, D, 4) > bytes_moved(least, N, D, 4)


def test_what_only_looks_at_the_same_numbers_moves_none() -> None:
    x = torch.empty(3, 5, device="meta")
    assert trace(lambda: x.t().reshape(5, 3)[None].detach()) == ()


def test_a_number_that_is_repeated_is_read_once() -> None:
    x = torch.empty(3, 1, device="meta").expand(3, 5)
    assert trace(lambda: x * 2) == (Operation("mul", ("N",), ("ND",)),)


def test_sizes_may_be_swept() -> None:
    rows, width = torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0, 4.0, 5.0]])
    found = bytes_moved(unfused_traffic("layer").forward, rows, width, 4)
    assert found.shape == (2, 3)
    assert found[1, 2] == bytes_moved(unfused_traffic("layer").forward, rows[1, 0], width[0, 2], 4)


def test_a_norm_without_a_function_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no function for 'dyt'. Trace what is written out"):
        builtin_traffic("dyt")
