import pytest
import torch

from lnviz.topics.cost.costs import stored_costs
from lnviz.topics.cost.roofline import (
    CARDS,
    DEVICES,
    attainable,
    device_from_costs,
    norm_operations,
    product_bytes,
    product_operations,
)


@pytest.mark.parametrize("key", DEVICES)
def test_a_roof_rises_with_the_bandwidth_to_the_peak(key: str) -> None:
    device = DEVICES[key]
    ridge = device.matrix / device.bandwidth
    found = attainable(
        torch.tensor([ridge / 10, ridge, 10 * ridge]), device.bandwidth, device.matrix
    )
    torch.testing.assert_close(found, device.matrix * torch.tensor([0.1, 1.0, 1.0]))


def test_a_product_has_two_operations_for_every_weight_and_row() -> None:
    assert product_operations(torch.tensor(3.0), torch.tensor(5.0)) == 2 * 3 * 5 * 5


def test_a_product_reads_rows_and_matrix_and_writes_rows() -> None:
    assert product_bytes(torch.tensor(3.0), torch.tensor(5.0), 2) == 2 * (15 + 25 + 15)


def test_a_product_is_used_more_per_byte_the_wider_it_is_and_a_norm_is_not() -> None:
    width = torch.tensor([64.0, 1024.0, 16384.0])
    rows = torch.tensor(4096.0)
    product = product_operations(rows, width) / product_bytes(rows, width, 4)
    assert (product.diff() > 0).all()
    norm = norm_operations("layer", rows, width) / (rows * width)
    assert norm.tolist() == [7.0, 7.0, 7.0]


def test_a_stored_machine_is_as_fast_as_it_was_measured_to_be() -> None:
    found = stored_costs()["cpu"]
    device = device_from_costs(found)
    copied = 2 * 4 * 1024 * 8192
    assert device.bandwidth == pytest.approx(copied / found.kernels.copy[-1][1])
    done = 24 * 128 * 2048**2 + 4 * 128**2 * 2048
    assert device.plain == pytest.approx(done / found.blocks.whole["none"][0][-1][1])


def test_the_text_is_right_about_the_ridges() -> None:
    cpu = device_from_costs(stored_costs()["cpu"])
    assert 1 < cpu.plain / cpu.bandwidth < 10
    assert all(card.matrix / card.bandwidth > 100 for card in CARDS.values())
