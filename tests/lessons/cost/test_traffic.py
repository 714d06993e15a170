from functools import partial

import pytest
import torch

from lnviz.topics.cost.roofline import CARDS, DEVICES
from tests.lessons.running import built, not_finite

figure = partial(built, "cost", "traffic")


def value(name: str, **at: object) -> float:
    return float(figure().lookup(name, figure().state_at(**at)))


def test_the_text_is_right_that_layernorm_goes_over_everything_twelve_times() -> None:
    state = figure().state_at(norm="layer", width=16384.0, tokens=65536.0)
    reads = figure().lookup("layer reads", state)[:-1]
    writes = figure().lookup("layer writes", state)[:-1]
    assert reads.sum().item() == pytest.approx(7, abs=1e-3)
    assert writes.sum().item() == pytest.approx(5, abs=1e-3)


def test_as_one_kernel_both_norms_move_the_same_but_for_the_bias() -> None:
    layer, rms = (value("kernel MB", norm=n, tokens=1.0, width=64.0) for n in ("layer", "rms"))
    assert layer - rms == pytest.approx(2 * 64 / 1e6)


def test_a_time_is_bytes_by_bandwidth() -> None:
    for key, device in DEVICES.items():
        moved = value("kernel MB", device=key) * 1e6
        expected = 1e6 * moved / device.bandwidth
        assert value("kernel us", device=key) == pytest.approx(expected, rel=1e-5)


def test_a_product_waits_for_memory_left_of_the_ridge_alone() -> None:
    for tokens in (1.0, 64.0, 65536.0):
        state = figure().state_at(tokens=tokens, width=16384.0)
        left = figure().lookup("product intensity", state) < figure().lookup("ridge", state)
        assert left == ~figure().lookup("waits", state).isnan()
    assert figure().lookup("waits", figure().state_at(tokens=1.0)) == 1
    assert figure().lookup("waits", figure().state_at(tokens=65536.0, width=16384.0)).isnan()


def test_every_norm_lies_on_the_slope() -> None:
    for device in CARDS:
        for norm in ("layer", "rms"):
            state = figure().state_at(device=device, norm=norm)
            for name in ("written", "kernel"):
                x, y = (figure().lookup(f"{name} {axis}", state) for axis in "xy")
                slope = x + torch.tensor(DEVICES[device].bandwidth / 1e12).log10()
                torch.testing.assert_close(y.float(), slope.float(), atol=1e-5, rtol=0)


def test_on_the_stored_processor_a_norm_lies_left_of_the_ridge() -> None:
    for norm in ("layer", "rms"):
        state = figure().state_at(device="stored-cpu", numbers="32", norm=norm)
        found = figure().lookup("norm intensity", state)
        assert found < figure().lookup("ridge", state)


def test_the_text_is_right_about_generations() -> None:
    first, *_, last = CARDS.values()
    assert last.matrix / first.matrix > last.bandwidth / first.bandwidth


def test_only_whether_the_product_waits_has_no_value_somewhere() -> None:
    assert not_finite(figure()) == {"waits"}
