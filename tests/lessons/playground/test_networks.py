"""The maps of all networks, and what each of them says of the plane."""

from typing import Any

import pytest
import torch
from torch.func import functional_call
from torch.testing import assert_close

from lnviz.explorable import (
    CellPicker,
    Explorable,
    ParameterError,
    Readout,
    ScatterPlane,
    Slider,
    UnitMaps,
)
from lnviz.frontend.theme import LEVELS
from lnviz.lessons.playground import networks
from lnviz.topics.playground import stored, trained
from lnviz.topics.playground.data import ALPHABET, FEWEST, FIGURES, MOST, points
from lnviz.topics.playground.network import Networks
from lnviz.topics.playground.specification import PlaygroundSpecification
from tests.lessons.running import built, views

SPIRAL = PlaygroundSpecification("spiral")
OWN = "own.0011.zz~~yy"


def figure(**query: str) -> Explorable:
    return built("playground", "networks", *query.items())


@pytest.mark.slow
def test_those_that_have_learned_are_counted_at_every_step() -> None:
    result, shown = stored.result("spiral", "depth", True, residual=True), figure()
    accuracy = result.tensor("accuracy", "norm", "step", "rate", "place", "seed")
    counted = (accuracy >= networks.LEARNED).flatten(2).sum(2)
    assert torch.equal(shown.tensors["learned"].values.int(), counted.int())
    assert torch.equal(shown.tensors["plain"].values, shown.tensors["learned"].values[0])
    of_cells = shown.tensors["fit"].values  # norms,networks,steps
    assert torch.equal(of_cells.sum(1), shown.tensors["learned"].values)


def test_a_cell_says_the_median_percent_that_its_networks_get_right() -> None:
    result, shown = stored.result("spiral", "depth", True, residual=True), figure()
    (pointer,) = (c for c in shown.controls if isinstance(c, CellPicker))
    for norm in SPIRAL.norms:
        swept = shown.tensors[f"{norm} failed"]
        cell = pointer.index((3, 2))
        said = swept.words[int(swept.values[0, -1, cell])]
        at = {"norm": norm, "rate": SPIRAL.rates[3], "place": SPIRAL.places[2]}
        right = result.tensor("accuracy", "seed", step=SPIRAL.frames[-1], **at)
        assert abs(int(said) - 100 * right.quantile(0.5).item()) <= 0.5 + 1e-4


def test_a_median_among_overflows_is_none() -> None:
    nan = float("nan")
    found = networks.median_accuracy(torch.tensor([[nan, 0.5, 0.7, 0.9], [nan, nan, 1.0, 1.0]]))
    torch.testing.assert_close(found[0], torch.tensor(0.6))
    assert found[1].isnan()


@pytest.mark.slow
def test_the_switch_shows_a_plain_stack() -> None:
    result, shown = stored.result("spiral", "depth", True), figure(blocks="plain")
    counted = (result.tensor("accuracy", "norm", "step", "rate", "place", "seed")).ge(
        networks.LEARNED
    )
    assert torch.equal(shown.tensors["learned"].values.int(), counted.flatten(2).sum(2).int())
    assert not torch.equal(shown.tensors["learned"].values, figure().tensors["learned"].values)


def test_a_unit_is_dead_that_is_0_for_every_point() -> None:
    asked = PlaygroundSpecification(places=(12,), rates=(0.3,), seeds=(0,), frames=(0, 1))
    cpu = torch.device("cpu")
    _, runs = next(trained.learning(asked, cpu))
    model = runs.model.eval()
    begun = [{name: of[0] for name, of in each.items()} for each in (runs.parameters, runs.buffers)]
    _, layers = functional_call(model, tuple(begun), (points(asked.data).x,))
    counted = networks.dead_units(trained.networks(asked, cpu), asked)[:, 0, 0, 0].tolist()
    assert min(counted) > 0
    for norm, dead in enumerate(counted):
        assert sum(int((h[norm, 0] == 0).all(0).sum()) for h in layers) == dead
    shown = figure()
    alive = shown.tensors["none failed"].values[1, -1]
    share = shown.tensors["dead"].values[0, :, -1] / shown.tensors["all"].values
    assert torch.equal(alive, (100 * share).round())


def test_a_map_of_living_units_leaves_only_those_without_color_in_which_none_lives() -> None:
    shown = figure()
    maps = shown.state_at(maps="alive")["maps"]
    dead = torch.stack([shown.tensors[f"{norm} failed"].values[maps, -1] for norm in SPIRAL.norms])
    levels = (LEVELS * dead / shown.tensors["palest"].values[maps]).round()
    assert (dead == 100).any()
    assert torch.equal(levels == LEVELS, dead == 100)


def test_networks_of_one_depth_begin_alike_at_every_rate() -> None:
    start = figure().tensors["score"].values[:, :, 0].unflatten(1, (len(SPIRAL.rates), -1))
    assert torch.equal(start, start[:, :1].expand_as(start))


def test_a_unit_is_drawn_where_its_network_has_its_layer_and_nowhere_else() -> None:
    shown = figure()
    units, layers = shown.tensors["units"].values, shown.tensors["drawn"].values
    every, whole = shown.tensors["every"].values, shown.tensors["layers"].values
    assert torch.equal(layers * every, whole)
    assert layers.max() <= networks.MOST_DRAWN
    there = units[:, :, 0].isfinite().flatten(3).all(3)  # norms,networks,layers
    wanted = torch.arange(units.shape[3]) < layers[:, None]
    assert torch.equal(there, wanted.expand_as(there))
    assert units.nan_to_num(0).aminmax() == (0.0, 1.0)
    kept = stored.result("spiral", "depth", True, residual=True)
    at = {"norm": "rms", "rate": 0.01, "place": 32, "look": 600, "layer": 8}
    eighth = kept.tensor("units", "unit", "small_row", "small_column", **at)
    cell = SPIRAL.rates.index(0.01) * len(SPIRAL.places) + SPIRAL.places.index(32)
    assert_close(units[3, cell, -1, 1], eighth / trained.BRIGHT)


def test_the_pictures_of_units_are_those_of_the_last_look() -> None:
    result, shown = stored.result("spiral", "depth", True, residual=True), figure()
    (step,) = (c for c in shown.controls if isinstance(c, Slider))
    looks, units = result.axes["look"], shown.tensors["units"].values
    for position, at in enumerate(step.values):
        last = max(look for look in looks if look <= at)
        there = units[:, :, step.index(last)]
        assert_close(units[:, :, position], there, rtol=0, atol=0, equal_nan=True)


@pytest.mark.slow
def test_points_of_ones_own_are_trained_few_at_first() -> None:
    few = PlaygroundSpecification(OWN, places=networks.OWN_DEPTHS).coarse
    assert networks.FIGURE.cost(networks.FIGURE.parse({"data": OWN})) < 5
    shown = figure(data=OWN)
    assert shown.tensors["score"].values.shape[1] == len(few.rates) * len(few.places)
    assert shown.tensors["orange"].values.item() == 3
    (plane, _) = views(shown, ScatterPlane)
    assert (plane.letters, plane.most) == (ALPHABET, MOST)
    with pytest.raises(ParameterError, match=f"{FEWEST} to {MOST} points"):
        networks.build(data=OWN[:-4])


def test_the_time_that_own_points_take_follows_depth_and_number_of_networks() -> None:
    def seconds(**values: str) -> float:
        return networks.FIGURE.cost(networks.FIGURE.parse({"data": OWN, **values}))

    for across in networks.AXES:
        few, whole = (seconds(across=across, detail=detail) for detail in ("few", "all"))
        assert 2 < few < 8 < 15 < whole < 60
    assert seconds(detail="all") > seconds(across="scale", detail="all")
    assert networks.FIGURE.cost(networks.FIGURE.parse({"data": "moons"})) < 0.3


@pytest.mark.slow
@pytest.mark.parametrize("data", FIGURES)
def test_the_switch_does_what_it_says_wherever_it_is_there(data: str) -> None:
    (switch,) = [p for p in networks.FIGURE.parameters if p.name == networks.BLOCKS.name]
    assert set(switch.when) == {"bias", "across"}
    for blocks, is_residual in (("residual", True), ("plain", False)):
        asked = networks._asked(data, "with", "depth", blocks, "few")
        assert asked.residual == is_residual
        kept = stored.result(data, "depth", True, residual=is_residual)
        assert kept.axes["place"] == asked.places
        shown = figure(data=data, blocks=blocks)
        said = " ".join(view.text for view in views(shown, Readout))
        assert ("plain stacks, without residual" in said) != is_residual
        invites = [step for step in shown.steps if "choose the plain stack" in step.text]
        assert bool(invites) == is_residual


@pytest.mark.parametrize(
    ("blocks", "bias"), [("residual", "with"), ("plain", "with"), ("plain", "without")]
)
def test_a_layers_formula_has_a_bias_where_its_networks_have_one(blocks: str, bias: str) -> None:
    asked = networks._asked("spiral", bias, "depth", blocks, "few")
    model = Networks(
        asked.norms, asked.depths, asked.scales, asked.batches, asked.bias, asked.residual
    )
    has_bias = dict(zip(asked.norms, model.has_bias.flatten().tolist(), strict=True))
    shown = views(figure(blocks=blocks, bias=bias), UnitMaps)
    told = {norm: "+ b" in maps.title for maps in shown for norm in (maps.when or {})["norm"]}
    assert told == has_bias


@pytest.mark.parametrize("points", ["own.", "own.00.", "own.0.zz11", "own.00.!!zz11"])
def test_points_that_nothing_can_be_learned_from_are_refused(points: str) -> None:
    values = networks.FIGURE.parse({"data": points})
    for ask in (networks.FIGURE.cost, networks.FIGURE.payload):
        with pytest.raises(ParameterError, match="point") as refused:
            ask(values)
        assert refused.value.nearest["data"] == "spiral"


@pytest.mark.parametrize("data", [*FIGURES, OWN])
def test_the_program_makes_the_points_that_are_learned(data: str) -> None:
    shown = figure(data=data)
    head, _, _ = shown.code_at(shown.start_state()).partition("torch.manual_seed(0)\nhead")
    made: dict[str, Any] = {}
    exec(head, made)
    wanted = points(data)
    assert_close(made["x"], wanted.x, rtol=0, atol=1e-4)
    assert torch.equal(made["classes"], wanted.classes)
