import json
import math
import re
from dataclasses import replace

import plotly.graph_objects as go
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lnviz.explorable import (
    CellPicker,
    Chart,
    Choice,
    Explorable,
    Grid,
    Margin,
    Option,
    PhotoGallery,
    Pictures,
    Readout,
    SliceAlong,
    Slider,
    SweptTensor,
    View,
    ViewRow,
)
from lnviz.explorable.explorable import PUBLIC_URL, public_url
from lnviz.explorable.schema import When
from tests.explorable.decoding import decode

SIZE = Slider.linear("batch size", 1, 4, 1, 4)
NORM = Choice(
    "norm",
    (Option("batch", "BatchNorm", code="0"), Option("layer", "LayerNorm", code="1")),
    "layer",
)
CELL = CellPicker("cell", ("case 1", "case 2"), ("1", "2", "3"), "feature", (0, 1))
CONTROLS = (SIZE, NORM, CELL)
TENSORS = {
    "x": SweptTensor(("cell",), torch.arange(6.0), 2),
    "y": SweptTensor(("norm", "batch size", "cell"), torch.arange(48.0).reshape(2, 4, 6), 2),
    "rows": SweptTensor(("batch size",), torch.arange(8.0).reshape(4, 2), 2),
}


def figure(*views: ViewRow, code: str = "") -> Explorable:
    return Explorable("a figure", CONTROLS, TENSORS, views, code)


STATES = st.fixed_dictionaries(
    {control.name: st.integers(0, control.size - 1) for control in CONTROLS}
)


@given(STATES)
def test_a_lookup_is_the_slice_that_the_controls_name(state: dict[str, int]) -> None:
    found = figure().lookup("y", state)
    assert found.item() == TENSORS["y"].values[state["norm"], state["batch size"], state["cell"]]
    assert torch.equal(figure().lookup("rows", state), TENSORS["rows"].values[state["batch size"]])


@given(STATES)
def test_the_browser_can_look_up_what_python_looks_up(state: dict[str, int]) -> None:
    document = json.loads(json.dumps(figure().payload()))
    sent = decode(document["tensors"]["y"])
    place = tuple(state[control] for control in document["tensors"]["y"]["over"])
    assert sent[place] == figure().lookup("y", state).item()


def test_every_control_starts_at_rest() -> None:
    assert figure().start_state() == {"batch size": 3, "norm": 1, "cell": 1}


def test_a_state_is_named_by_values_and_the_rest_stays_at_rest() -> None:
    assert figure().state_at(batch_size=2) == {"batch size": 1, "norm": 1, "cell": 1}
    assert figure().state_at(norm="batch", cell=5) == {"batch size": 3, "norm": 0, "cell": 5}


@given(STATES)
def test_the_code_holds_what_the_controls_stand_at(state: dict[str, int]) -> None:
    code = figure(code="f(«batch size», «norm», x[«cell»], «norm»)").code_at(state)
    size, norm = state["batch size"] + 1, state["norm"]
    row, column = divmod(state["cell"], 3)
    assert code == f"f({size}, {norm}, x[{row}, {column}], {norm})"


def test_code_for_a_control_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the code of 'a figure' has no control for \['gain'\]"):
        figure(code="f(«gain»)")


def test_the_browser_gets_conditions_as_positions() -> None:
    when = {"norm": ("layer",), "batch size": (1, 3.0)}
    margin = Margin("row", "mean", "rows", when={"norm": ("batch",)})
    grid = Grid("t", "cell", 3.0, "x", margins=(margin,), when=when)
    chart = Chart("t", go.Figure(), {}, "alt", when=when)
    document = figure((grid, Readout("text", when=when)), (chart,)).payload()
    expected = {"norm": [1], "batch size": [0, 2]}
    assert [[view["when"] for view in row] for row in document["views"]] == [
        [expected, expected],
        [expected],
    ]
    assert document["views"][0][0]["margins"][0]["when"] == {"norm": [0]}


def test_the_document_names_every_control_as_its_address_does() -> None:
    document = figure().payload()
    assert [control["slug"] for control in document["controls"]] == ["batch-size", "norm", "cell"]
    assert set(document["tensors"]) == set(TENSORS)
    assert document["title"] == "a figure"


def test_controls_of_one_name_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^'a figure': two controls share a name: \['batch size'\]$"
    ):
        Explorable("a figure", (SIZE, SIZE), {}, ())


def test_a_tensor_over_an_unknown_control_is_refused() -> None:
    tensors = {"y": SweptTensor(("cell", "gain"), torch.zeros(6, 2))}
    with pytest.raises(
        ValueError,
        match=r"^tensor 'y' is swept over \['gain'\], known are \['batch size', 'norm', 'cell'\]$",
    ):
        Explorable("a figure", CONTROLS, tensors, ())


@pytest.mark.parametrize(
    ("shape", "received"), [((3, 6), r"\(3, 6\)"), ((6, 4), r"\(6, 4\)"), ((4,), r"\(4,\)")]
)
def test_a_tensor_whose_shape_is_not_its_controls_is_refused(
    shape: tuple[int, ...], received: str
) -> None:
    tensors = {"y": SweptTensor(("batch size", "cell"), torch.zeros(shape))}
    with pytest.raises(
        ValueError,
        match=r"^tensor 'y': leading dimensions must be \(4, 6\) for \('batch size', 'cell'\), "
        rf"received {received}$",
    ):
        Explorable("a figure", CONTROLS, tensors, ())


@pytest.mark.parametrize(
    "view",
    [
        Readout("{gone:2}"),
        Readout("text", when={"gone": ("a",)}),
        Grid("{gone}", "cell", 3.0, "x"),
        Grid("t", "gone", 3.0, "x"),
        Grid("t", "cell", 3.0, "gone"),
        Grid("t", "cell", 3.0, "x", groups="gone"),
        Grid("t", "cell", 3.0, "x", layout="gone"),
        Grid("t", "cell", 3.0, "x", row_labels=("a", "b × {gone}")),
        Grid("t", "cell", 3.0, rows=(("{gone}", "x"),)),
        Grid("t", "cell", 3.0, rows=(("label", "gone"),)),
        Grid("t", "cell", 3.0, "x", margins=(Margin("row", "mean", "gone"),)),
        Grid("t", "cell", 3.0, "x", margins=(Margin("row", "m", "rows", {"gone": ("a",)}),)),
        Grid("t", "cell", 3.0, "x", when={"gone": ("a",)}),
        Pictures("{gone}", "x", ("l",), "alt", 1.0),
        Pictures("t", "gone", ("l",), "alt", 1.0),
        Pictures("t", "x", ("{gone}",), "alt", 1.0),
        Pictures("t", "x", ("l",), "{gone}", 1.0),
        Chart("{gone}", go.Figure(), {}, "alt"),
        Chart("t", go.Figure(), {}, "at {gone}"),
        Chart("t", go.Figure(), {0: {"y": "gone"}}, "alt"),
        Chart("t", go.Figure(), {0: {"y": SliceAlong("gone", "norm")}}, "alt"),
        Chart("t", go.Figure(), {0: {"y": SliceAlong("y", "gone")}}, "alt"),
        Chart("t", go.Figure(), {}, "alt", when={"gone": ("a",)}),
    ],
)
def test_a_view_of_what_does_not_exist_is_refused(view: View) -> None:
    with pytest.raises(
        ValueError, match=r"^a view of 'a figure' names \['gone'\], which do not exist$"
    ):
        figure((view,))


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ({"batch size": (2.5,)}, r"'batch size' has no position 2\.5; it has \(1\.0, 2\.0, 3\.0, "),
        ({"norm": ("rms",)}, r"'norm' has no position 'rms'; it has \('batch', 'layer'\)"),
        ({"cell": ((2, 0),)}, r"'cell' has no position \(2, 0\); it has \(\(0, 0\), \(0, 1\), "),
    ],
)
def test_a_view_shown_at_what_is_no_position_is_refused(when: When, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        figure((Readout("text", when=when),))


def test_a_margin_shown_at_what_is_no_position_is_refused() -> None:
    margin = Margin("row", "mean", "rows", when={"norm": ("rms",)})
    with pytest.raises(ValueError, match="'norm' has no position 'rms'"):
        figure((Grid("t", "cell", 3.0, "x", margins=(margin,)),))


RED, BLUE = (
    Choice(name, (Option("a", "A", "batch"), Option("b", "B", "layer")), "a")
    for name in ("red", "blue")
)


def test_a_number_that_no_word_stands_for_is_refused() -> None:
    numbers = torch.tensor([0.0, math.nan, 2.0, 1.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="2 words are numbered from 0 to 1, received 0 to 2"):
        Explorable("words", CONTROLS, {"word": SweptTensor(("cell",), numbers, 0, ("a", "b"))}, ())


def test_the_one_choice_with_colors_colors_the_figure() -> None:
    assert Explorable("a figure", (SIZE, RED), {}, ()).payload()["color"] == "red"
    assert Explorable("a figure", (SIZE, NORM), {}, ()).payload()["color"] == ""


def test_two_choices_with_colors_are_refused() -> None:
    with pytest.raises(
        ValueError,
        match=r"^'a figure' takes its color from one choice with colored options, received "
        r"\['red', 'blue'\]$",
    ):
        Explorable("a figure", (RED, BLUE), {}, ())


@pytest.mark.parametrize("shape", [(2, 3, 8, 8), (1, 2, 8, 8), (2, 8, 8), (2, 2, 1, 8, 8)])
def test_pictures_that_are_not_those_of_their_labels_are_refused(shape: tuple[int, ...]) -> None:
    view = Pictures("t", "images", ("a", "b"), "alt", 1.0, row_labels=("one", "two"))
    tensors = {"images": SweptTensor(("norm",), torch.zeros(2, *shape))}
    with pytest.raises(
        ValueError,
        match=r"^tensor 'images': pictures are \(rows, columns, height, width\), here \(2, 2\) by "
        rf"the view's row and column labels, received {re.escape(str(shape))}$",
    ):
        Explorable("a figure", CONTROLS, tensors, ((view,),))


def test_a_slider_may_be_shown_at_some_positions_of_another_control() -> None:
    groups = Slider.linear("groups", 1, 2, 1, 1)
    shown = replace(groups, when={"norm": ("layer",)})
    document = Explorable("a figure", (NORM, shown, SIZE), {}, ()).payload()
    assert [control["when"] for control in document["controls"]] == [{}, {"norm": [1]}, {}]


def test_a_slider_that_is_shown_by_what_does_not_exist_is_refused() -> None:
    shown = replace(SIZE, when={"gone": (1,)})
    with pytest.raises(ValueError, match=r"^'batch size' is shown by \['gone'\], known are"):
        Explorable("a figure", (shown,), {}, ())


@pytest.mark.parametrize("wrong", ["photos", "scale", "shift"])
def test_photos_that_are_not_those_of_their_labels_are_refused(wrong: str) -> None:
    shapes = {"photos": (2, 3, 4, 4), "scale": (2, 3), "shift": (2, 3)}
    shapes[wrong] = (3, *shapes[wrong][1:])
    tensors = {name: SweptTensor((), torch.zeros(shape)) for name, shape in shapes.items()}
    view = PhotoGallery("t", "photos", "scale", "shift", ("a", "b"), "alt")
    with pytest.raises(
        ValueError, match=rf"^tensor '{wrong}': photos begin with \(2, 3\), .* \(3, 3"
    ):
        Explorable("a figure", (), tensors, ((view,),))


def test_a_slider_may_have_another_name_in_the_address() -> None:
    slider = replace(SIZE, url_name="second size")
    (document,) = Explorable("a figure", (slider,), {}, ()).payload()["controls"]
    assert (document["name"], document["slug"]) == ("batch size", "second-size")


@pytest.mark.parametrize("address", ["example.org", "ftp://example.org", "https://", "https://a b"])
def test_a_public_address_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv(PUBLIC_URL, address)
    with pytest.raises(ValueError, match=r"Set it to one such as https://example.org/lnviz"):
        public_url()


@pytest.mark.parametrize("address", ["https://example.org/lnviz/", "http://10.0.0.2:8501", ""])
def test_a_public_address_has_no_slash_at_its_end(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv(PUBLIC_URL, address)
    assert public_url() == address.rstrip("/")
