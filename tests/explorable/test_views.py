import json
import math

import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lnviz.explorable import Chart, Grid, Margin, PhotoGallery, Pictures, Readout, SliceAlong
from lnviz.explorable.template import parse_template, referenced_names

TEXTS = st.text(st.characters(exclude_characters="{}", codec="utf-8"), min_size=1, max_size=8)
WORDS = st.from_regex(r"[a-z]+( [a-z]+)?", fullmatch=True)
FIELDS = st.fixed_dictionaries(
    {
        "name": WORDS,
        "format": st.sampled_from(["", "0", "4", "g2"]),
        "style": st.sampled_from(["", "stat", "value"]),
    }
)


def written(piece: str | dict[str, str]) -> str:
    """A piece as an author writes it."""
    if isinstance(piece, str):
        return piece
    spec = f"{piece['format']} {piece['style']}".rstrip()
    return f"{{{piece['name']}:{spec}}}" if spec else f"{{{piece['name']}}}"


def joined(parts: list[str | dict[str, str]]) -> list[str | dict[str, str]]:
    """The same parts with neighboring texts as one."""
    out: list[str | dict[str, str]] = []
    for part in parts:
        if out and isinstance(part, str) and isinstance(out[-1], str):
            out[-1] += part
        else:
            out.append(part)
    return out


@pytest.mark.slow
@given(st.lists(TEXTS | FIELDS, max_size=6))
@settings(max_examples=40)
def test_a_template_is_cut_into_its_texts_and_fields(parts: list[str | dict[str, str]]) -> None:
    assert parse_template("".join(map(written, parts))) == joined(parts)


@given(st.lists(TEXTS | FIELDS, max_size=6))
@settings(max_examples=40)
def test_the_names_of_a_template_are_those_of_its_fields(
    parts: list[str | dict[str, str]],
) -> None:
    expected = [part["name"] for part in parts if isinstance(part, dict)]
    assert referenced_names("".join(map(written, parts))) == expected


def test_doubled_braces_are_braces() -> None:
    assert "".join(parse_template("the set {{1, 2}}")) == "the set {1, 2}"
    assert referenced_names("the set {{1, 2}}") == []


def test_a_readout_names_what_it_shows_and_what_shows_it() -> None:
    readout = Readout("{cell}: {mean:4 stat}", when={"norm": ("batch",)})
    assert list(readout.references()) == ["cell", "mean", "norm"]


def test_a_grid_names_all_it_draws_from() -> None:
    grid = Grid(
        "After {norm}",
        "cell",
        3.0,
        "y",
        groups="groups",
        layout="layout",
        row_labels=("case × {scale}",),
        rows=(("then {nonlinearity}", "after"),),
        row_words=("word",),
        margins=(Margin("row", "mean", "row mean", {"size": (1,)}),),
        pictures="images",
        when={"step": ("mean",)},
    )
    expected = {"norm", "cell", "y", "groups", "layout", "scale", "nonlinearity", "after"}
    assert set(grid.references()) == expected | {"row mean", "size", "step", "images", "word"}


def test_a_chart_names_what_its_traces_are_bound_to() -> None:
    bind = {0: {"x": "a", "y": SliceAlong("b", "scale")}}
    chart = Chart("at {gain}", go.Figure(), bind, "{c:2}", when={"d": (1,)})
    assert set(chart.references()) == {"gain", "a", "b", "scale", "c", "d"}


def test_pictures_name_what_they_draw_and_what_their_words_say() -> None:
    view = Pictures(
        "at {a}", "x", ("layer {b:0}",), "{c}", 1.0, row_labels=("{d}",), when={"e": (1,)}
    )
    assert set(view.references()) == {"a", "x", "b", "c", "d", "e"}


def test_photos_name_what_they_draw_and_what_their_words_say() -> None:
    view = PhotoGallery("at {a}", "x", "scale", "shift", ("{b}",), "{c:1}", {"d": (1,)})
    assert set(view.references()) == {"a", "x", "scale", "shift", "b", "c", "d"}


def test_a_trace_follows_a_slice_or_runs_along_a_control() -> None:
    bind = {0: {"x": "a", "y": SliceAlong("b", "scale")}}
    assert Chart("t", go.Figure(), bind, "alt").payload()["bind"] == {
        "0": {
            "x": {"kind": "values", "tensor": "a", "along": ""},
            "y": {"kind": "values", "tensor": "b", "along": "scale"},
        }
    }


def test_a_chart_travels_without_a_template_of_plotlys() -> None:
    figure = go.Figure(go.Scatter(y=[1, 2]), layout={"template": "plotly_dark"})
    document = json.loads(json.dumps(Chart("t", figure, {}, "alt").payload()))
    assert "template" not in document["figure"]["layout"]
    assert document["figure"]["data"][0]["type"] == "scatter"


def test_the_kinds_of_views_say_what_they_are() -> None:
    views = (
        Grid("t", "cell", 1.0, "y"),
        Chart("t", go.Figure(), {}, "alt"),
        Pictures("t", "x", ("l",), "alt", 1.0),
        Readout("text"),
    )
    kinds = [view.payload()["kind"] for view in views]
    assert kinds == ["grid", "chart", "pictures", "readout"]


def test_a_chart_travels_without_numbers_that_json_has_no_word_for() -> None:
    figure = go.Figure(go.Scatter(y=[1.0, math.nan], x=[math.inf, 2.0]))
    (trace,) = Chart("t", figure, {}, "alt").payload()["figure"]["data"]
    assert trace == {"type": "scatter", "y": [1.0, None], "x": [None, 2.0]}
