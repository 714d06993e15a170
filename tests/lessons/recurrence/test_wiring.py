import itertools
from collections.abc import Callable
from functools import cache

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Diagram as View
from lnviz.explorable import Explorable, Grid, Readout
from lnviz.lessons.recurrence.block_diagrams import GateDiagram, gru_diagram, lstm_diagram
from lnviz.lessons.recurrence.wiring import GATES, SCALE, STAGES, build
from lnviz.topics.recurrence import wiring
from tests.explorable.decoding import decode
from tests.lessons.running import shows

CELLS = ("lstm", "gru")


@cache
def figure(cell: str) -> Explorable:
    return build(cell)


def at(cell: str, name: str, **values: object) -> torch.Tensor:
    """All units of a vector."""
    explorable = figure(cell)
    state = explorable.state_at(**values)
    over = explorable.tensors[name].dims
    index = tuple(state[c] for c in over if c not in ("unit", "state unit"))
    return explorable.tensors[name].values[index].cpu()


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize(("norms", "key"), [("separate", "ih"), ("separate", "hh"), ("one", "sum")])
@pytest.mark.parametrize("statistics", ["together", "gate"])
def test_the_formula_holds_for_every_unit_of_every_norm(
    cell: str, norms: str, key: str, statistics: str
) -> None:
    before = {"ih": "from_input", "hh": "from_state", "sum": "raw"}[key]
    state = {"norms": norms, "statistics": statistics, "input_scale": 2.0}
    x, mean, std, gain, bias, y = (
        at(cell, name, **state)
        for name in (before, *(f"{key} {what}" for what in ("mean", "std", "gain", "bias", "y")))
    )
    assert_close(gain * (x - mean) / (std**2 + 1e-5).sqrt() + bias, y, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("statistics", ["together", "gate"])
def test_the_outline_holds_what_shares_a_mean_and_a_standard_deviation(
    cell: str, statistics: str
) -> None:
    groups = at(cell, "groups", statistics=statistics)
    x, mean = (at(cell, n, statistics=statistics) for n in ("from_input", "ih mean"))
    for group in groups.unique():
        inside = groups == group
        assert_close(x[inside].mean().expand(int(inside.sum())), mean[inside])
    expected = {"gate": len(GATES[cell]), "together": {"lstm": 1, "gru": 2}[cell]}
    assert len(groups.unique()) == expected[statistics]


@pytest.mark.parametrize("cell", CELLS)
def test_only_with_a_norm_each_is_the_state_heard_next_to_a_loud_input(cell: str) -> None:
    explorable = figure(cell)
    loud = explorable.state_at(input_scale=100.0)
    assert 0.4 < explorable.lookup("share separate", loud) < 0.6
    assert explorable.lookup("share one", loud) < 0.02


@pytest.mark.parametrize("cell", CELLS)
def test_a_louder_input_hardly_changes_the_gates_under_separate_norms(cell: str) -> None:
    change = {
        norms: (
            at(cell, "gates", norms=norms, input_scale=100.0)
            - at(cell, "gates", norms=norms, input_scale=1.0)
        )
        .abs()
        .max()
        for norms in ("separate", "one")
    }
    assert change["separate"] < 0.01 < change["one"]


def test_vectors_are_those_of_the_core() -> None:
    found = wiring(torch.tensor(SCALE.values[:1]), cell="lstm", separate=True, per_gate=False)
    scale = SCALE.values[0]
    assert_close(at("lstm", "c", input_scale=scale), found.step.c[0])
    assert_close(at("lstm", "total", input_scale=scale), found.step.joined.total[0])
    assert_close(at("lstm", "h before"), found.state[0])


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("norms", ["separate", "one"])
def test_every_block_has_a_frame_numbers_and_words(cell: str, norms: str) -> None:
    explorable = figure(cell)
    for block in STAGES[cell]:
        state = explorable.state_at(block=block, norms=norms)
        shown = [view for row in explorable.views for view in row if shows(explorable, view, state)]
        kinds = [type(view) for view in shown]
        assert Grid in kinds
        assert Readout in kinds
        (picture,) = [view for view in shown if isinstance(view, View)]
        position = STAGES[cell].index(block)
        inside = [box.text for box in picture.boxes if position in box.at]
        normed = any(isinstance(view, Grid) and view.groups for view in shown) or block == "cell"
        assert normed == any("LayerNorm" in text for text in inside)
        assert inside


@pytest.mark.parametrize("cell", CELLS)
def test_the_arithmetic_survives_the_way_to_the_browser_at_the_faintest_input(cell: str) -> None:
    tensors = figure(cell).tensors
    std = tensors["ih std"].values[:, :, 0].double()
    travelled = decode(tensors["ih std"].payload())[:, :, 0]
    assert_close(torch.as_tensor(travelled), std.cpu(), rtol=1e-3, atol=0, equal_nan=True)


@pytest.mark.parametrize("separate", [True, False])
@pytest.mark.parametrize("draw", [lstm_diagram, gru_diagram])
def test_arrows_go_level_or_straight_down_from_edge_to_edge(
    draw: Callable[[bool], GateDiagram], separate: bool
) -> None:
    diagram = draw(separate)
    for arrow in diagram.arrows:
        way = diagram.arrow_corners(arrow)
        assert all(a == c or b == d for (a, b), (c, d) in itertools.pairwise(way))
        for name, (x, y) in ((arrow.start, way[0]), (arrow.end, way[-1])):
            (left, right), (low, high) = diagram.blocks[name].sides, diagram.blocks[name].heights
            beside = x in (left, right) and low < y < high
            assert beside or (left < x < right and y in (low, high))


@pytest.mark.parametrize("separate", [True, False])
@pytest.mark.parametrize("draw", [lstm_diagram, gru_diagram])
def test_every_block_is_reached_or_given_and_goes_on_or_leaves(
    draw: Callable[[bool], GateDiagram], separate: bool
) -> None:
    diagram = draw(separate)
    starts, ends = ({getattr(a, end) for a in diagram.arrows} for end in ("start", "end"))
    last = diagram.rows - 1
    assert {n for n in diagram.blocks if n not in ends} == {
        n for n, block in diagram.blocks.items() if block.row == 0
    }
    assert {n for n in diagram.blocks if n not in starts} == {
        n for n, block in diagram.blocks.items() if block.row == last
    }
    labels = [block.label for block in diagram.blocks.values() if not block.stage]
    assert len(set(labels)) == len(labels)
