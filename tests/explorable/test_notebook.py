import sys

import pytest
import torch

import lnviz
from lnviz import book
from lnviz.explorable import EnumParameter, Explorable, Option, ParameterError, notebook
from lnviz.lessons.lesson import FigureSpec


@pytest.fixture(scope="module")
def figure() -> Explorable:
    return lnviz.figure("axes", "grid")


def test_jupyter_is_given_a_widget_and_what_to_show_without_one(figure: Explorable) -> None:
    shown = figure._repr_mimebundle_()
    view = shown["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] == figure._sharing_widget.model_id
    assert shown["text/plain"].startswith(figure.title)
    assert "<table>" in shown["text/html"]


@pytest.mark.slow
def test_the_figures_of_a_notebook_share_their_scripts_and_plotly(figure: Explorable) -> None:
    line = lnviz.figure("gain-bias", "line")
    one, other = (each._sharing_widget for each in (line, lnviz.figure("why", "depth")))
    assert one.scripts is other.scripts is figure._sharing_widget.scripts
    assert one.plotly is other.plotly
    assert "Plotly" in one.plotly.text
    assert figure._sharing_widget.plotly is None
    sent = one.get_state()
    assert sent["plotly"] == f"IPY_MODEL_{one.plotly.model_id}"
    assert len(sent["_esm"]) < 3_000
    assert sent["payload"] == line.widget.payload


def test_a_widget_holds_its_figure_and_nothing_that_asks_for_another(figure: Explorable) -> None:
    assert figure.payload()["edits"] is not None
    assert figure.widget.payload == figure.payload() | {"edits": None, "parameters": []}


def test_a_figure_that_begins_with_a_first_part_is_whole_where_nothing_comes_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    part = EnumParameter(
        "part", "Part", (Option("few", "few"), Option("all", "all")), "few", full_value="all"
    )
    built = FigureSpec("sum", lambda part: Explorable(part, (), {}, ()), (part,))
    monkeypatch.setattr(book, "find_figure", lambda lesson, name: built)
    assert lnviz.figure("sums", "sum").title == "all"
    assert lnviz.figure("sums", "sum", part="few").title == "few"


@pytest.mark.slow
def test_only_a_figure_with_a_chart_brings_plotly(figure: Explorable) -> None:
    assert figure.widget.plotly == ""
    assert "Plotly" in lnviz.figure("gain-bias", "line").widget.plotly


def test_its_style_stands_by_itself() -> None:
    style = notebook.style()
    assert "--ln-page:" in style
    assert not any(word in style for word in ("@import", "url("))


def test_without_anywidget_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("lnviz.explorable.notebook")
    monkeypatch.delitem(sys.modules, "lnviz.explorable.notebook")
    monkeypatch.setitem(sys.modules, "anywidget", None)
    shown = lnviz.figure("axes", "grid")._repr_mimebundle_()
    assert "anywidget is not installed. Install it" in shown["text/plain"]
    assert 'pip install "lnviz[notebook]"' in shown["text/plain"]


@pytest.mark.parametrize(
    ("lesson", "name", "said"),
    [("axes", "gird", "available: grid"), ("axis", "grid", "available: home, ")],
)
def test_a_figure_that_is_not_there_is_refused_with_those_that_are(
    lesson: str, name: str, said: str
) -> None:
    with pytest.raises(ValueError, match=f"there is no figure '{name}' on '{lesson}'") as refused:
        lnviz.figure(lesson, name)
    assert said in str(refused.value)


def test_a_parameter_is_held_to_what_addresses_may_say() -> None:
    with pytest.raises(ParameterError, match="data must be one of"):
        lnviz.figure("axes", "grid", data="none")


def test_a_figure_begins_where_it_is_told_to() -> None:
    begun = lnviz.figure("axes", "grid", norm="rms", batch_size=2.2, cell=(1, 3))
    state = lnviz.figure("axes", "grid").state_at(norm="rms", batch_size=2)
    assert begun.start_state() == state | {"cell": 9}
    assert begun.payload()["tensors"] == lnviz.figure("axes", "grid").payload()["tensors"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"nrom": "rms"}, r"has no \['nrom'\]; its controls are \['norm', 'batch-size', "),
        ({"norm": "none"}, "'norm' has no position 'none'; it has "),
    ],
)
def test_a_control_is_held_to_where_it_can_be(asked: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        lnviz.figure("axes", "grid", **asked)


def test_numbers_of_ones_own_are_drawn() -> None:
    values = torch.tensor([[1.0, -2.5], [0.25, 40.0], [3.0, 4.0]])
    own = lnviz.figure("axes", "grid", data=values)
    assert torch.equal(own.tensors["x"].values, values.flatten())
    with pytest.raises(ParameterError, match=r"got shape \(7,\)"):
        lnviz.figure("axes", "grid", data=torch.ones(7))
