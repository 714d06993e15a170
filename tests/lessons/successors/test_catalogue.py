import itertools

import torch

from lnviz.explorable import Chart, Readout
from lnviz.lessons.successors.catalogue import COLUMNS, ROWS, SHOWN
from lnviz.lessons.successors.curves import TOP
from lnviz.norms import CATALOGUE
from lnviz.topics.successors import NORMS, treats_units_alike
from tests.lessons.running import built, views


def test_the_table_says_who_has_changed() -> None:
    figure = built("successors", "catalogue")
    table = figure.lookup("table", figure.state_at(input_scale=8.0)).view(len(ROWS), len(COLUMNS))
    change = dict(zip(ROWS, table[:, 2].tolist(), strict=True))
    for key in ("layer", "rms", "scale", "ada", "group"):
        assert change[key] < 0.005
    for key in ("none", "weight", "dyt", "derf", "batch", "power"):
        assert change[key] > 0.3
    unscaled = figure.lookup("table", figure.state_at(input_scale=1.0)).view(
        len(ROWS), len(COLUMNS)
    )
    assert not unscaled[:, 2].any()


def test_every_norm_has_a_sentence_of_its_own_wherever_it_is_pointed_at() -> None:
    figure = built("successors", "catalogue")
    said = [v for v in views(figure, Readout) if v.when]
    cells = [(cell, view.text) for view in said for cell in view.when["norm"]]
    sentence = dict(cells)
    assert len(sentence) == len(cells)
    assert sentence.keys() == set(itertools.product(range(len(ROWS)), range(len(COLUMNS))))
    for (row, _), text in cells:
        assert text.casefold().startswith(CATALOGUE[ROWS[row]].label.casefold())


def test_what_shares_a_statistic_and_treats_units_alike_is_one_curve() -> None:
    figure = built("successors", "catalogue")
    charts = views(figure, Chart)
    lines = [{t.name for t in chart.figure.data if t.mode == "lines"} for chart in charts]
    alike = [
        {NORMS[key].label for key in keys if treats_units_alike(key)} for keys in SHOWN.values()
    ]
    assert lines == alike
    assert lines[0] >= {"LayerNorm", "RMSNorm", "ScaleNorm", "AdaNorm"}
    assert lines[1] >= {"no norm", "DyT", "Derf"}
    for chart in charts:
        assert max(chart.figure.layout.yaxis.range) > TOP


def test_the_longer_the_scaled_example_is_the_less_does_batchnorms_output_follow_it() -> None:
    figure = built("successors", "catalogue")
    sizes = figure.tensors["batch size"].values
    scales = torch.tensor([2 ** (i / 20) for i in range(-60, 61)])
    followed = sizes / scales
    assert (followed.diff() < 0).all()
