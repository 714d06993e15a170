"""The maps of all networks, and what each of them says of the plane."""

from typing import Any

import pytest
import torch
from torch.func import functional_call
from torch.testing import assert_close

from lnviz.explorable import CellPicker, Explorable, ParameterError, ScatterPlane, Slider
from lnviz.frontend.theme import LEVELS
from lnviz.lessons.playground import networks
from lnviz.topics.playground import stored, trained
from lnviz.topics.playground.data import ALPHABET, FEWEST, FIGURES, MOST, points
from lnviz.topics.playground.specification import PlaygroundSpecification
from tests.lessons.running import built, views

SPIRAL = PlaygroundSpecification("spiral")
OWN = "own.0011.zz~~yy"


def figure(**query: str) -> Explorable:
    return built("playground", "networks", *query.items())


def test_those_that_have_learned_are_counted_at_every_step() -> None:
    result, shown = stored.result("spiral", "depth", True), figure()
    accuracy = result.tensor("accuracy", "norm", "step", "rate", "place", seed=0)
    counted = (accuracy >= networks.LEARNED).flatten(2).sum(2)
    assert torch.equal(shown.tensors["learned"].values.int(), counted.int())
    assert torch.equal(shown.tensors["plain"].values, shown.tensors["learned"].values[0])


def test_a_cell_says_the_percent_that_its_network_gets_right() -> None:
    result, shown = stored.result("spiral", "depth", True), figure()
    (pointer,) = (c for c in shown.controls if isinstance(c, CellPicker))
    for norm in SPIRAL.norms:
        swept = shown.tensors[f"{norm} failed"]
        cell = pointer.index((3, 2))
        said = swept.words[int(swept.values[0, -1, cell])]
        at = {"norm": norm, "rate": SPIRAL.rates[3], "place": SPIRAL.places[2], "seed": 0}
        right = result.tensor("accuracy", step=SPIRAL.frames[-1], **at)
        assert said == f"{100 * float(right):.0f}"


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
    units, layers = shown.tensors["units"].values, shown.tensors["layers"].values
    there = units[:, :, 0].isfinite().flatten(3).all(3)  # norms,networks,layers
    wanted = torch.arange(units.shape[3]) < layers[:, None]
    assert torch.equal(there, wanted.expand_as(there))
    assert units.nan_to_num(0).aminmax() == (0.0, 1.0)


def test_the_pictures_of_units_are_those_of_the_last_look() -> None:
    result, shown = stored.result("spiral", "depth", True), figure()
    (step,) = (c for c in shown.controls if isinstance(c, Slider))
    looks, units = result.axes["look"], shown.tensors["units"].values
    for position, at in enumerate(step.values):
        last = max(look for look in looks if look <= at)
        there = units[:, :, step.index(last)]
        assert_close(units[:, :, position], there, rtol=0, atol=0, equal_nan=True)


def test_points_of_ones_own_are_trained_few_at_first() -> None:
    few = PlaygroundSpecification(OWN).coarse
    assert networks.FIGURE.cost(networks.FIGURE.parse({"data": OWN})) < 5
    shown = figure(data=OWN)
    assert shown.tensors["score"].values.shape[1] == len(few.rates) * len(few.places)
    assert shown.tensors["orange"].values.item() == 3
    (plane, _) = views(shown, ScatterPlane)
    assert (plane.letters, plane.most) == (ALPHABET, MOST)
    with pytest.raises(ParameterError, match=f"{FEWEST} to {MOST} points"):
        networks.build(data=OWN[:-4])


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
