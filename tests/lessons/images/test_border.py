"""Units at the border: what the text says of them, and what the code prints."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.data.examples import digit_images
from lnviz.explorable import Explorable
from lnviz.lessons.images.border import NORMS, SIDE
from lnviz.topics.images import BANKS, KINDS
from lnviz.topics.images.border import border, digit_units
from lnviz.topics.images.filters import random, responses


def average(figure: Explorable, name: str) -> Tensor:
    """Over the units, for each kind of filter and each norm."""
    return figure.tensors[name].values.mean(-1)


def test_at_the_border_units_vary_about_half_as_much_as_inside(figure: Explorable) -> None:
    share = average(figure, "border std") / average(figure, "inside std")
    assert (share - 0.5).abs().max() < 0.05


def test_after_batch_norm_the_units_means_lie_closer_together(figure: Explorable) -> None:
    batch, layer = (figure.tensors[f"{key} apart"].values for key in ("batch", "layer"))
    assert (batch < layer).all()


def test_whether_units_at_the_border_are_rarely_on_depends_on_filters_and_norm(
    figure: Explorable,
) -> None:
    def ratio(filters: str, norm: str) -> float:
        state = figure.state_at(filters=filters, border_norm=norm, rare_means_below=0.1)
        border, inside = (figure.lookup(f"{where} rare", state) for where in ("border", "inside"))
        return float(border / inside)

    assert all(ratio("gabor", norm) > 3 for norm in NORMS)
    assert ratio("trained", "batch") > 3
    assert ratio("trained", "layer") < 0.5


@pytest.mark.slow
def test_with_random_filters_layer_norm_s_ratio_depends_on_the_draw_and_batch_norm_s_does_not() -> (
    None
):
    edge = border(SIDE, SIDE)
    ratios: dict[str, list[float]] = {"layer": [], "batch": []}
    for seed in range(40):
        for norm, found in ratios.items():
            on = digit_units(random(seed=seed), KINDS[norm]).on
            rare, inside = ((on[:, places] < 0.1).float().mean() for places in (edge, ~edge))
            found.append(float(rare / inside))
    low, high = torch.tensor(ratios["layer"]).quantile(torch.tensor([0.1, 0.9]))
    assert low < 0.5
    assert high > 1.5
    assert max(ratios["layer"]) > 2
    assert (torch.tensor(ratios["batch"]) > 2).float().mean() > 0.9


def test_with_trained_filters_most_units_at_the_border_are_often_on(figure: Explorable) -> None:
    edge = border(SIDE, SIDE)
    for norm in ("batch", "layer"):
        state = figure.state_at(filters="trained", border_norm=norm)
        on = figure.lookup("share above 0", state).flatten(0, 1)[:, edge]
        assert on.median() > 0.5


def test_what_moves_the_means_closer_is_the_mean_or_the_spread_of_each_filter() -> None:
    images = digit_images().images.unflatten(1, (1, SIDE, SIDE))

    def apart(values: Tensor) -> float:
        return float(values.mean(0).std(correction=0))

    for key, make in BANKS.items():
        x = responses(images, make())
        layer, batch = (KINDS[norm].standardized(x).x_hat for norm in ("layer", "batch"))
        subtracted = layer - layer.mean((0, 2, 3), keepdim=True)
        divided = layer / layer.std((0, 2, 3), correction=0, keepdim=True)
        gap = apart(layer) - apart(batch)
        if key == "gabor":
            assert apart(layer) - apart(subtracted) < 0.1 * gap < 0.9 * gap
            assert apart(layer) - apart(divided) > 0.9 * gap
        else:
            assert apart(layer) - apart(subtracted) > gap
            assert apart(divided) > apart(layer)


def test_figure_and_program_agree_on_constant_responses(figure: Explorable) -> None:
    state = figure.state_at(filters="gabor", border_norm="instance")
    assert_close(float(figure.lookup("border rare", state)), 27.46, rtol=0, atol=0.5)


def test_rare_units_are_counted_on_the_maps(figure: Explorable) -> None:
    edge = border(SIDE, SIDE)
    for filters, norm, below in (("gabor", "layer", 0.1), ("trained", "batch", 0.3)):
        state = figure.state_at(filters=filters, border_norm=norm, rare_means_below=below)
        rare = figure.lookup("share above 0", state).flatten(0, 1) < below
        for where, places in (("border", edge), ("inside", ~edge)):
            share = 100 * rare[:, places].float().mean()
            assert_close(figure.lookup(f"{where} rare", state), share)


def test_the_worst_unit_is_the_one_it_names(figure: Explorable) -> None:
    state = figure.state_at(filters="gabor", border_norm="layer")
    spots = [int(figure.lookup(f"least {name}", state)) - 1 for name in ("filter", "row", "column")]
    std = figure.lookup("standard deviation", state).flatten(0, 1)
    assert std[tuple(spots)] == std.min()
    assert_close(figure.lookup("least std", state), std.min())
