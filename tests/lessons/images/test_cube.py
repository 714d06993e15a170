"""The block of images: its groups and numbers, beside the modules that its code names."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from lnviz.data.examples import digit_images
from lnviz.explorable import CellPicker, Explorable, Grid
from lnviz.topics.images.cube import activations, bank
from tests.lessons.running import built, views

LAYOUTS = ("images", "tokens")
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def cube(layout: str) -> Explorable:
    return built("images", "cube", *((("layout", layout),) if layout != "images" else ()))


@each_layout
def test_the_pointer_names_the_cell_it_shows(layout: str) -> None:
    figure = cube(layout)
    (pointer,) = (c for c in figure.controls if isinstance(c, CellPicker))
    x = activations()
    arranged = x.flatten(2).mT if layout == "tokens" else x
    for position in range(pointer.size):
        at = tuple(int(number) for number in pointer.code(position).strip("()").split(","))
        assert figure.lookup("x", {"cell": position}) == arranged[at]


@each_layout
def test_a_group_has_as_many_cells_as_it_says(layout: str) -> None:
    tensors = cube(layout).tensors
    ids, counts = tensors["group"].values, tensors["count"].values
    assert torch.equal((ids[..., None] == ids[..., None, :]).sum(-1), counts)


def test_a_row_of_tokens_is_the_group_of_a_transformers_layer_norm() -> None:
    figure = cube("tokens")
    ids = figure.lookup("group", figure.state_at(norm="place") | {"cell": slice(None)})
    assert torch.equal(ids.view(18, 6), torch.arange(18)[:, None].expand(18, 6))


def test_the_table_shows_every_number_within_its_colors() -> None:
    figure = cube("images")
    (grid,) = views(figure, Grid)
    assert figure.tensors["x"].values.abs().max() <= grid.color_limit


def test_the_block_is_two_digits_through_six_filters() -> None:
    filters = bank().weight
    assert activations().shape == (2, 6, 3, 3)
    assert filters.shape == (6, 1, 3, 3)
    assert digit_images().targets[:2].tolist() == [0, 1]
    # Of an edge and a bar in three directions each, no two are the same.
    assert len(filters.flatten(1).unique(dim=0)) == 6


def test_layer_norm_of_the_channels_takes_the_columns_or_stops() -> None:
    x = torch.randn(2, 4, 3, 4, generator=torch.Generator().manual_seed(0))
    assert_close(nn.LayerNorm(4)(x).mean(-1), torch.zeros(2, 4, 3), rtol=0, atol=1e-6)
    with pytest.raises(RuntimeError, match="normalized_shape"):
        nn.LayerNorm(4)(x[..., :3])


def test_batch_norm_takes_the_middle_axis_for_the_channels() -> None:
    x = torch.randn(3, 5, 5, generator=torch.Generator().manual_seed(0))
    assert_close(nn.BatchNorm1d(5)(x).mean((0, 2)), torch.zeros(5), rtol=0, atol=1e-6)
