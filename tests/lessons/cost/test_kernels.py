from functools import cache

import pytest
import torch

from lnviz.cost.costs import stored
from lnviz.cost.ways import WAYS
from lnviz.explorable import Explorable
from lnviz.lessons.cost.kernels import build
from tests.lessons.running import printed


@cache
def figure() -> Explorable:
    return build()


def value(name: str, **at: object) -> float:
    return float(figure().lookup(name, figure().at(**at)))


def test_the_times_are_those_of_the_stored_result() -> None:
    found = stored()["cpu"].kernels
    at = found.specification.widths.index(1024)
    for way in WAYS:
        time = found.times[f"layer {way}"][1][at][1]
        shown = value("layer us", width=1024.0, way=way, **{"pass": "both"})
        assert shown == pytest.approx(1e6 * time, rel=1e-5)


def test_a_bar_is_the_bytes_that_must_move_by_the_time_beside_the_copys() -> None:
    found = stored()["cpu"].kernels
    at = found.specification.widths.index(512)
    moved = 4 * (2 * 1024 * 512 + 2 * 512)
    speed = moved / found.times["layer function"][0][at][1]
    copy = 4 * 2 * 1024 * 512 / found.copy[at][1]
    shown = figure().lookup("function share", figure().at(width=512.0))
    assert shown[0].item() == pytest.approx(100 * speed / copy, abs=0.01)


def test_the_curve_is_the_time_of_one_number() -> None:
    per = 1e3 * value("rms us", width=2048.0) / (1024 * 2048)
    assert 10 ** value("rms curve", width=2048.0) == pytest.approx(per, rel=1e-3)


def test_dyt_has_no_time_where_pytorch_has_no_function() -> None:
    assert torch.isnan(figure().lookup("dyt us", figure().at(way="function")))
    assert value("dyt us", way="written") > 0


def test_the_code_measures_what_the_figure_shows() -> None:
    for backward in ("forward", "both"):
        (times,) = printed(figure(), figure().at(width=64.0, **{"pass": backward}))
        assert times.shape == (5,)
        assert (times > 0).all()


@pytest.mark.slow
def test_this_server_is_measured_without_compiling() -> None:
    here = build("server", 1)
    (way,) = (control for control in here.controls if control.name == "way")
    assert way.size == 2
    assert "compiled share" not in here.tensors
