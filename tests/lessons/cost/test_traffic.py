from functools import partial

import pytest

from tests.lessons.running import built, not_finite

figure = partial(built, "cost", "traffic")


def value(name: str, **at: object) -> float:
    return float(figure().lookup(name, figure().state_at(**at)))


def test_the_text_is_right_that_layernorm_goes_over_everything_twelve_times() -> None:
    state = figure().state_at(norm="layer", width=16384.0)
    reads = figure().lookup("layer reads", state)[:-1]
    writes = figure().lookup("layer writes", state)[:-1]
    assert reads.sum().item() == pytest.approx(7, abs=0.01)
    assert writes.sum().item() == pytest.approx(5, abs=0.01)


def test_as_one_kernel_both_norms_move_the_same_but_for_the_bias() -> None:
    layer, rms = (value("kernel MB", norm=norm, width=64.0) for norm in ("layer", "rms"))
    assert layer - rms == pytest.approx(2 * 64 / 1e6, rel=1e-3)


def test_every_value_of_the_figure_exists() -> None:
    assert not not_finite(figure())
