from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Diagram, Explorable, Readout
from lnviz.lessons.placement.road import FORWARD, LAYERS
from lnviz.topics.transformer.profiles import PROFILES
from lnviz.topics.transformer.road import ROAD, SETUP
from lnviz.topics.transformer.theory import sizes
from tests.lessons.running import printed, views

each_depth = pytest.mark.parametrize("depth", LAYERS.values)


@each_depth
def test_what_is_found_holds_at_every_depth(figure: Explorable, depth: float) -> None:
    state = figure.state_at(layers=depth)
    assert figure.lookup("times", state) > 1
    kept, grown = (figure.lookup(f"forward {key} out", state) for key in ("post", "pre"))
    assert_close(kept, torch.tensor(1.0), rtol=0, atol=1e-3)
    at = {"placement": "pre", "depth": int(depth), "layer": 1, "place": "in"}
    assert grown > ROAD.result.tensor("size", **at)
    for place in ("first sum", "second sum"):
        assert figure.lookup(f"forward post {place}", state) > 1.05


@each_depth
def test_bars_and_road_are_the_medians_of_the_stored_results(
    figure: Explorable, depth: float
) -> None:
    state, layers = figure.state_at(layers=depth), int(depth)
    for key in ("post", "pre"):
        at = {"setup": "text", "placement": key, "depth": layers, "quartile": 0.5}
        medians = PROFILES.result.tensor("gradient", "layer", **at)
        bars = figure.lookup(f"backward {key} bars", state)
        assert_close(bars, medians, equal_nan=True)
        assert figure.lookup(f"backward {key} last", state) == bars[layers - 1]
        stream = ROAD.result.tensor("gradient", "layer", "place", placement=key, depth=layers)
        road = figure.lookup(f"backward {key} road", state).unflatten(0, (-1, 5))
        assert_close(road, stream[:, [0, 4, 5, 9, 10]], equal_nan=True)
        out = figure.lookup(f"backward {key} out", state)
        assert out == stream[layers - 1, -1]


@pytest.mark.slow
def test_what_a_deep_pre_ln_layer_adds_is_a_smaller_fraction_of_the_stream() -> None:
    experiment = replace(ROAD.result.specification, seeds=tuple(range(4))).experiment(SETUP)
    found = sizes(["pre"], 48, experiment)["pre"]
    added = ((found.attention + found.feed_forward) / found.stream[:-1]).mean(1)  # mean squares
    eighths = added.unflatten(0, (8, -1)).mean(1)
    assert (eighths.diff() < 0).all()
    assert eighths[0] > 5 * eighths[-1]


def test_no_early_layer_is_cut_off_before_training(figure: Explorable) -> None:
    for depth in (12.0, 48.0):
        state = figure.state_at(layers=depth)
        for key in ("post", "pre"):
            bars = figure.lookup(f"backward {key} bars", state)[: int(depth)]
            assert bars[: len(bars) // 2].min() > bars.max() / 4
    ends = [figure.lookup(f"backward post {end}", figure.state_at()) for end in ("first", "last")]
    assert max(ends) < 1.1 * min(ends)


def test_the_program_measures_a_network_of_its_own_near_the_medians(figure: Explorable) -> None:
    state = figure.state_at(layers=6.0)
    for key, (rms, sums, seconds) in zip(("post", "pre"), printed(figure, state), strict=True):
        assert_close(rms, figure.lookup(f"forward {key} bars", state)[:6], rtol=0.2, atol=0)
        ends = figure.lookup(f"backward {key} road", state).unflatten(0, (-1, 5))[:6, -1]
        assert_close(sums, ends, rtol=0.5, atol=0)
        assert_close(seconds, figure.lookup(f"backward {key} bars", state)[:6], rtol=0.5, atol=0)


def test_the_caption_is_short(figure: Explorable) -> None:
    notes = [said for said in views(figure, Readout) if said.style == "note"]
    assert len(notes) == 2
    assert all(len(note.text.split()) <= 45 for note in notes)


def test_both_blocks_of_a_direction_are_drawn_to_one_scale(figure: Explorable) -> None:
    drawn = views(figure, Diagram)
    for way in ("forward", "backward"):
        pair = [view for view in drawn if view.when["direction"] == (way,)]
        assert len({(view.scale, view.profile and view.profile.full_length) for view in pair}) == 1
    assert {view.when["direction"] for view in drawn} == {(FORWARD,), ("backward",)}
