import pytest
import torch
from torch import nn

import lnviz
from lnviz.lessons.inside import own


@pytest.fixture(scope="module")
def watched():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 8), nn.LayerNorm(8))
    with lnviz.watch(model) as watched:
        model(torch.randn(16, 4)).square().sum().backward()
    return watched


@pytest.mark.parametrize("name", own.FIGURES)
def test_a_figure_of_a_run_shows_what_was_seen(watched, name):
    drawn = watched.figure(name)
    assert drawn.payload()["controls"]
    assert drawn.controls[0].names == ("1", "3")


def test_the_stream_is_drawn_at_its_size(watched):
    drawn = watched.figure("stream")
    seen = watched.norms["3"].median("x_median")
    assert float(drawn.lookup("before the norm", drawn.at(norm=1.0))) == pytest.approx(
        seen, rel=1e-3
    )


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


def test_a_notebook_shows_the_report_and_the_figures(watched, monkeypatch):
    shown: list = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    watched._ipython_display_()
    report, *figures = shown
    assert report.data == watched._repr_html_()
    assert [drawn.title for drawn in figures] == [watched.figure(f).title for f in own.FIGURES]
