from functools import partial

import pytest
import torch

from lnviz.topics.cost.roofline import CARDS, DEVICES
from lnviz.topics.cost.traffic import unfused_traffic
from tests.lessons.running import built, not_finite

figure = partial(built, "cost", "roofline")
WRITTEN, KERNEL = "written", "kernel"


def value(name: str, **at: object) -> float:
    return float(figure().lookup(name, figure().state_at(**at)))


@pytest.mark.slow
def test_a_time_is_bytes_by_bandwidth_for_a_norm_and_operations_by_speed_for_a_product() -> None:
    for key, device in DEVICES.items():
        size = 2 if key in CARDS else 4
        moved = size * (2 * 2048 * 4096 + 2 * 4096)
        assert value("layer kernel us", device=key) == pytest.approx(
            1e6 * moved / device.bandwidth, rel=1e-5
        )
        product = 2 * 2048 * 4096**2 / device.matrix
        assert value("product us", device=key) == pytest.approx(1e6 * product, rel=1e-5)


def test_bars_are_percentages_of_the_product() -> None:
    state = figure().state_at(device="a100")
    shown = figure().lookup("time bars", state)
    assert shown[-1] == 100
    assert shown[2].item() == pytest.approx(
        100 * value("layer kernel us", device="a100") / value("product us", device="a100"), rel=1e-3
    )
    operations = figure().lookup("operations bars", state)
    assert operations[0] == operations[2] == pytest.approx(100 * 7 / (2 * 4096), abs=1e-3)


def test_every_norm_lies_on_the_slope_and_the_product_on_the_roof() -> None:
    for device, found in DEVICES.items():
        state = figure().state_at(device=device)
        slope = torch.tensor(found.bandwidth / 1e12).log10()
        for name in ("layer written", "rms written", "layer kernel", "rms kernel"):
            x, y = (figure().lookup(f"{name} {axis}", state) for axis in "xy")
            torch.testing.assert_close(y, x + slope, atol=2e-3, rtol=0)
        top = 10 ** figure().lookup("product y", state).item()
        assert top == pytest.approx(found.matrix / 1e12, rel=1e-2)


def test_a_product_waits_for_memory_left_of_the_ridge_alone() -> None:
    for tokens in (1.0, 64.0, 65536.0):
        state = figure().state_at(tokens=tokens)
        left = figure().lookup("product intensity", state) < figure().lookup("ridge", state)
        assert left == ~figure().lookup("waits", state).isnan()
    assert value("waits", tokens=1.0) == 1
    assert figure().lookup("waits", figure().state_at(tokens=65536.0)).isnan()


def test_on_the_stored_processor_a_norm_lies_left_of_the_ridge() -> None:
    state = figure().state_at(device="stored-cpu")
    for norm in ("layer", "rms"):
        assert 10 ** figure().lookup(f"{norm} kernel x", state) < figure().lookup("ridge", state)


def test_matrix_units_have_gained_more_speed_than_memory() -> None:
    first, *later = CARDS.values()
    assert all(d.matrix / first.matrix > d.bandwidth / first.bandwidth for d in later)
    shares = [value("layer written share", device=key) for key in ("v100", "h100")]
    assert shares[0] < shares[1]


def test_only_whether_the_product_waits_has_no_value_somewhere() -> None:
    assert not_finite(figure()) == {"waits"}


def test_the_program_counts_the_passes_of_layernorm() -> None:
    shapes = [s for each in unfused_traffic("layer").forward for s in (*each.reads, *each.writes)]
    assert [shapes.count(shape) for shape in ("ND", "N", "D")] == [12, 8, 2]
