from dataclasses import replace
from functools import partial

import pytest
import torch

from lnviz.frontend.theme import TOKENS
from lnviz.lessons.cost import kernels
from lnviz.lessons.cost.kernels_views import STYLES
from lnviz.norms import CATALOGUE
from lnviz.topics.cost.costs import stored_costs
from lnviz.topics.cost.ways import WAYS
from tests.lessons.running import built, control, printed

figure = partial(built, "cost", "kernels")


def value(name: str, **at: object) -> float:
    return float(figure().lookup(name, figure().state_at(**at)))


def test_the_times_are_those_of_the_stored_result() -> None:
    found = stored_costs()["cpu"].kernels
    at = found.specification.widths.index(1024)
    for way in WAYS:
        time = found.times[f"layer {way}"][1][at][1]
        shown = value("layer us", width=1024.0, way=way, **{"pass": "both"})
        assert shown == pytest.approx(1e6 * time, rel=1e-5)


def test_a_bar_is_the_bytes_that_must_move_by_the_time_beside_the_copys() -> None:
    found = stored_costs()["cpu"].kernels
    at = found.specification.widths.index(512)
    moved = 4 * (2 * 1024 * 512 + 2 * 512)
    speed = moved / found.times["layer function"][0][at][1]
    copy = 4 * 2 * 1024 * 512 / found.copy[at][1]
    shown = figure().lookup("function share", figure().state_at(width=512.0))
    assert shown[0].item() == pytest.approx(100 * speed / copy, abs=0.01)


def test_the_curve_is_the_time_of_one_number() -> None:
    per = 1e3 * value("rms us", width=2048.0) / (1024 * 2048)
    assert 10 ** value("rms curve", width=2048.0) == pytest.approx(per, rel=1e-3)


def test_dyt_has_no_time_where_pytorch_has_no_function() -> None:
    assert torch.isnan(figure().lookup("dyt us", figure().state_at(way="function")))
    assert value("dyt us", way="written") > 0


def test_the_code_measures_what_the_figure_shows() -> None:
    for backward in ("forward", "both"):
        (times,) = printed(figure(), figure().state_at(width=64.0, **{"pass": backward}))
        assert times.shape == (5,)
        assert (times > 0).all()


@pytest.mark.slow
def test_this_server_is_measured_without_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    briefly = replace(kernels.HERE, widths=(64, 1024), rounds=2, block=0.0002)
    monkeypatch.setattr(kernels, "HERE", briefly)
    here = kernels.build(machine=kernels.SERVER)
    assert control(here, "way").size == 2
    assert "compiled share" not in here.tensors


def ratios(way: str) -> torch.Tensor:
    return torch.tensor(stored_costs()["cpu"].kernels.ratios[way])[..., 1]  # passes, widths


def test_the_text_is_right_where_both_norms_are_programmed_alike() -> None:
    assert (ratios("written") < 1).all()
    assert (ratios("compiled") < 1).all()


def test_the_text_is_right_about_pytorchs_functions() -> None:
    forward, both = ratios("function")
    assert forward[0] < 1
    assert (forward[-5:] > 1).all()
    assert (both > 1).all()
    narrow = forward < 1
    assert narrow.int().diff().max() <= 0  # the faster one only up to some width


def test_the_text_is_right_that_no_norm_is_as_fast_as_a_copy() -> None:
    for way in WAYS:
        assert (figure().tensors[f"{way} share"].values < 100).all()


def test_the_text_is_right_that_dyt_written_out_is_the_slowest_forward() -> None:
    times = stored_costs()["cpu"].kernels.times
    dyt = torch.tensor(times["dyt written"][0])[:, 1]
    for norm in ("layer", "rms", "batch"):
        assert (torch.tensor(times[f"{norm} written"][0])[:, 1] < dyt).all()


def test_no_way_has_the_color_of_a_norm() -> None:
    colors = {(TOKENS[token].light, TOKENS[token].dark) for token, _ in STYLES.values()}
    assert not colors & {norm.color for norm in CATALOGUE.values()}
    assert len(set(STYLES.values())) == len(WAYS)
