import math
import re
import sys
from types import SimpleNamespace

import pytest
import torch
from torch import nn

import lnviz
from lnviz.explorable import Grid
from lnviz.lessons.inside import watch_report
from tests.explorable.decoding import decode
from tests.lessons.running import control


@pytest.fixture(scope="module")
def watched():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 8), nn.LayerNorm(8))
    with lnviz.watch(model) as watched:
        model(torch.randn(16, 4)).square().sum().backward()
    return watched


@pytest.mark.parametrize("name", watch_report.NEEDS)
def test_a_figure_of_a_run_shows_what_was_seen(watched, name):
    drawn = watched.figure(name)
    assert control(drawn, "norm").names == ("1", "3")


def test_the_stream_is_drawn_at_its_size(watched):
    drawn = watched.figure("stream")
    seen = watched.norms["3"].median("x_median")
    rows = drawn.lookup("x", {**drawn.state_at(norm=1.0), "column": slice(None)})
    assert float(rows.median()) == pytest.approx(seen, rel=1e-3)
    assert len(rows) == 16


def test_a_saved_run_draws_itself(watched, tmp_path):
    watched.save(tmp_path / "run.lnviz")
    run = lnviz.load(tmp_path / "run.lnviz")
    assert run.figure("gains").payload() == watched.figure("gains").payload()


def test_what_a_run_does_not_have_is_said_in_a_sentence(watched):
    with pytest.raises(ValueError, match="one of stream, massive, gains, gradients; got 'other'"):
        watched.figure("other")
    model = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.LayerNorm(8))
    with lnviz.watch(model) as forward, torch.no_grad():
        model(torch.randn(2, 8))
    with pytest.raises(ValueError, match="Call backward"):
        forward.figure("gradients")


@pytest.mark.slow
def test_a_notebook_shows_the_report_and_the_figures(watched, monkeypatch):
    shown: list = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    watched._ipython_display_()
    report, *figures = shown
    assert report.data == watched._repr_html_()
    assert [drawn.title for drawn in figures] == [
        watched.figure(f).title for f in watch_report.NEEDS
    ]


@pytest.mark.slow
def test_marimo_stacks_the_report_and_the_figures(watched, monkeypatch):
    marimo = SimpleNamespace(Html=lambda text: text, vstack=tuple)
    monkeypatch.setitem(sys.modules, "marimo", marimo)
    report, *figures = watched._display_()
    assert report == watched._repr_html_()
    assert [drawn.title for drawn in figures] == [
        watched.figure(f).title for f in watch_report.NEEDS
    ]


@pytest.mark.slow
def test_passes_are_the_columns_where_there_are_several():
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 6), nn.LayerNorm(6))
    with lnviz.watch(model) as watched:
        for _ in range(60):
            model(torch.randn(16, 4)).square().sum().backward()
    for name, column in (("stream", "x_median"), ("gradients", "gradient_out")):
        drawn = watched.figure(name)
        passes = control(drawn, "column")
        assert (passes.noun, passes.columns[0], passes.columns[-1]) == ("pass", "1", "60")
        assert len(passes.columns) == watch_report.PASSES
        seen = watched.norms["3"].calls[column]
        state = drawn.state_at(norm=1.0, column=watch_report.PASSES - 1)
        assert float(drawn.lookup("x", state)) == pytest.approx(float(seen[-1]))


def test_norms_of_other_widths_stand_over_percents_of_their_gains():
    model = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 3), nn.LayerNorm(3))
    with torch.no_grad():
        model[0].weight.copy_(torch.arange(8.0))
        model[2].weight.copy_(torch.tensor([3.0, -1.0, 2.0]))
    with lnviz.watch(model) as watched:
        model(torch.randn(5, 8))
    drawn = watched.figure("gains")
    for norm, count, most in ((0.0, 8, 7), (1.0, 3, 3)):
        state = drawn.state_at(norm=norm)
        assert float(drawn.lookup("count", state)) == count
        assert float(drawn.lookup("most", state)) == most
        assert float(drawn.lookup("sorted", state)[-1]) == pytest.approx(math.log10(most), abs=1e-3)
        assert float(drawn.lookup("counts", state).sum()) == count
    assert float(drawn.lookup("off in all", drawn.state_at(off_below=0.1))) == 1


def test_convolutions_show_their_largest_numbers_by_pass():
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Conv2d(8, 4, 3))
    with lnviz.watch(model) as watched:
        model(torch.randn(16, 3, 8, 8))
    drawn = watched.figure("massive")
    largest = watched.norms["1"].calls["x_largest"]
    assert float(drawn.lookup("x", drawn.start_state())) == pytest.approx(float(largest[0]))
    assert len(drawn.views[0]) == 1  # what became of it is not known


def test_a_page_of_a_run_holds_it_all_and_takes_no_name_for_markup(watched, tmp_path):
    class Tag(nn.Sequential):
        pass

    Tag.__name__ = "</script><b>"
    model = Tag(nn.LayerNorm(4), nn.Linear(4, 4), nn.LayerNorm(4))
    with lnviz.watch(model) as odd:
        model(torch.randn(3, 4))
    odd.write_html(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text()
    assert "</script><b>" not in page
    assert not re.search(r"""(src|href)=["'](?!data:)""", page.split("<noscript>")[0])


def test_the_largest_component_of_a_row_is_shown_with_what_the_norm_makes_of_it():
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 8), nn.LayerNorm(8))
    with lnviz.watch(model, keep="inputs") as watched:
        model(torch.randn(16, 4))
    drawn = watched.figure("massive")
    (row,) = watched.inputs["3"][0][5:6]
    at = int(row.abs().argmax())
    state = drawn.state_at(norm=1.0, column=5)
    after = model[3](row).detach()
    for name, value in (("component", at), ("x", row[at]), ("y", after[at]), ("gain", 1.0)):
        assert float(drawn.lookup(name, state)) == pytest.approx(float(value), rel=1e-4)


def test_gradients_far_below_1_are_shown():
    model = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.LayerNorm(8))
    with lnviz.watch(model) as watched:
        (1e-6 * model(torch.randn(4, 8)).square().sum()).backward()
    shown = decode(watched.figure("gradients").payload()["tensors"]["x"])
    seen = [float(norm.calls["gradient_out"][0]) for norm in watched.norms.values()]
    assert max(seen) < 1e-5
    assert shown.flatten().tolist() == pytest.approx(seen)


@pytest.mark.parametrize("name", ["stream", "gradients"])
def test_columns_of_a_map_stand_in_a_table_that_a_keyboard_reaches(name):
    model = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.LayerNorm(8))
    with lnviz.watch(model) as watched:
        for _ in range(3):
            model(torch.randn(4, 8)).square().sum().backward()
    drawn = watched.figure(name)
    [table] = [view for row in drawn.views for view in row if isinstance(view, Grid)]
    assert table.pointer == "column"
    state = drawn.state_at(norm=1.0, column=2)
    for (_, row), value in zip(table.rows, ("x", "y"), strict=True):
        assert drawn.lookup(row, state)[2] == drawn.lookup(value, state)
