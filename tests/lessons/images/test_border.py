"""Units at the border: what the text says of them, and what the code prints."""

from torch import Tensor
from torch.testing import assert_close

from lnviz.explorable import Explorable
from lnviz.lessons.images.border import NORMS, SIDE
from lnviz.topics.images.border import border


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
    assert all(abs(ratio("random", norm) - 1) < 0.1 for norm in ("none", "layer"))
    assert ratio("random", "batch") > 2
    assert ratio("trained", "batch") > 3
    assert ratio("trained", "layer") < 0.5


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
