"""`payload.d.ts`, which the scripts are checked against, names what Python emits, and no more."""

import re
from typing import Any

import plotly.graph_objects as go
import pytest
import torch

from lnviz.explorable import (
    BandEdges,
    CellPicker,
    Chart,
    Choice,
    Cube,
    CubeAxis,
    Diagram,
    DiagramArrow,
    DiagramBar,
    DiagramBox,
    Edits,
    EnumParameter,
    Explorable,
    Grid,
    IntParameter,
    Margin,
    MarkAt,
    Marker3d,
    Option,
    Path,
    PhotoGallery,
    Pictures,
    Profile,
    Readout,
    RunParameter,
    ScatterPlane,
    Scene,
    SliceAlong,
    Slider,
    Sphere,
    Step,
    SweptTensor,
    TextParameter,
    UnitMaps,
    project_block,
    typescript,
)
from lnviz.explorable.schema import field_type
from lnviz.lessons import FigureSpec
from lnviz.training.experiment import TrainingSpec

TYPES = typescript.FILE.read_text(encoding="utf-8")


def build(data: str, seed: int, run: str, text: str) -> Explorable:
    """A figure with one of everything."""
    figure = go.Figure([go.Scatter(x=[0, 1], y=[0, 1]) for _ in range(3)])
    bind = {
        0: {"y": SliceAlong("x", "norm")},
        1: {"y": BandEdges("x", "x")},
        2: {"y": MarkAt("norm", (0,))},
    }
    chart = Chart("t", figure, bind, "a")
    margin = Margin("row", "mean", "x")
    pictures = Pictures("t", "image", ("l",), "a", 1.0)
    photos = PhotoGallery("t", "photo", "scale", "scale", ("l",), "a")
    seen = project_block(torch.arange(2).view(1, 1, 2), (30.0, 60.0))
    cube = Cube(
        "t", "cell", "corners", "size", seen.faces, seen.size, "x", "a", (CubeAxis("w", 0),)
    )
    box, arrow = DiagramBox((0, 0), (1, 1), "b"), DiagramArrow(((0, 0), (1, 1)))
    bar = DiagramBar((0, 0), (1, 1), "x", "t", "t")
    profile = Profile(("t", "t"), "x", "x", 1.0, ("a", "b"), (1, 1))
    diagram = Diagram("t", "size", (box,), (arrow,), (1, 1), "a", bars=(bar,), profile=profile)
    scene = Scene(
        "t",
        "camera",
        "size",
        1.0,
        "a",
        (Path(("place",)),),
        (Marker3d("place"),),
        (Sphere(1.0, "rms"),),
    )
    plane = ScatterPlane("t", "place", "place", ("a", "b"), 1.0, ("x", "y"), "a", paint="data")
    units = UnitMaps("t", "image", "image", "size", "size", "a")
    return Explorable(
        f"{data} {seed} {run}",
        (
            Slider.linear("size", 1, 2, 1, 1),
            Choice("norm", (Option("a", "A", "batch"), Option("b", "B")), "a"),
            CellPicker("cell", ("1",), ("1", "2"), "unit"),
        ),
        {
            "x": SweptTensor(("norm",), torch.zeros(2, 1), 2),
            "image": SweptTensor((), torch.zeros(1, 1, 2, 2)),
            "corners": SweptTensor(("size",), seen.corners),
            "photo": SweptTensor((), torch.zeros(1, 3, 2, 2)),
            "scale": SweptTensor((), torch.zeros(1, 3)),
            "camera": SweptTensor((), torch.eye(3)),
            "place": SweptTensor((), torch.zeros(3)),
        },
        (
            (Grid("t", "cell", 1.0, "x", rows=(("r", "x"),), margins=(margin,)), chart),
            (Readout("{cell}"), pictures, cube, photos, diagram, scene, plane, units),
        ),
        edits=Edits("data", "cell", "table.", (("1", "2"),), (0, 0)),
        steps=(Step("a"), Step("b", {"norm": "b"})),
    )


SPECIFICATION = TrainingSpec("a", ("none",), (4,), (0.1,), (0,), 10).to_dict()
FORM = {
    "experiments": [
        {
            "name": "a",
            "label": "A",
            "norms": [{"key": "none", "label": "no norm"}],
            "batch_sizes": [4],
            "rates": [0.1],
            "heads": ["plain"],
            "placements": [{"key": "pre", "label": "Pre-LN"}],
            "max_layers": 12,
            "fewest": {},
            "default": SPECIFICATION,
            "reads_file": False,
        }
    ]
}
PARAMETERS = (
    EnumParameter("data", "Data", (Option("worked", "worked"),), "worked"),
    IntParameter("seed", "Seed", 0, 9, 0),
    RunParameter("run", "Runs", (Option("a", "A"),), "a", FORM),
    TextParameter("text", "Text", "a", str),
)
DOCUMENT = FigureSpec("all", build, PARAMETERS).payload(
    {"data": "worked", "seed": 0, "run": "a", "text": "a"}
)
SLIDER, CHOICE, POINTER = DOCUMENT["controls"]
(GRID, CHART), (READOUT, PICTURES, CUBE, PHOTOS, DIAGRAM, SCENE, PLANE, UNITS) = DOCUMENT["views"]
PARTS: dict[str, dict[str, Any]] = {
    "Payload": DOCUMENT,
    "Slider": SLIDER,
    "Choice": CHOICE,
    "CellPicker": POINTER,
    "TensorDocument": DOCUMENT["tensors"]["x"],
    "Grid": GRID,
    "Margin": GRID["margins"][0],
    "Chart": CHART,
    "Values": CHART["bind"]["0"]["y"],
    "BandEdges": CHART["bind"]["1"]["y"],
    "MarkAt": CHART["bind"]["2"]["y"],
    "Pictures": PICTURES,
    "PhotoGallery": PHOTOS,
    "Cube": CUBE,
    "Face": CUBE["faces"][0],
    "CubeAxis": CUBE["axes"][0],
    "Diagram": DIAGRAM,
    "DiagramBox": DIAGRAM["boxes"][0],
    "DiagramArrow": DIAGRAM["arrows"][0],
    "DiagramBar": DIAGRAM["bars"][0],
    "Profile": DIAGRAM["profile"],
    "Scene": SCENE,
    "Path": SCENE["paths"][0],
    "Marker3d": SCENE["spots"][0],
    "Sphere": SCENE["balls"][0],
    "ScatterPlane": PLANE,
    "UnitMaps": UNITS,
    "Readout": READOUT,
    "Field": READOUT["pieces"][0],
    "EnumParameter": DOCUMENT["parameters"][0],
    "Edits": DOCUMENT["edits"],
    "Step": DOCUMENT["steps"][0],
    "Source": DOCUMENT["source"],
    "IntParameter": DOCUMENT["parameters"][1],
    "RunParameter": DOCUMENT["parameters"][2],
    "TextParameter": DOCUMENT["parameters"][3],
    "Experiment": DOCUMENT["parameters"][2]["form"]["experiments"][0],
    "Specification": DOCUMENT["parameters"][2]["form"]["experiments"][0]["default"],
}


def interfaces() -> dict[str, set[str]]:
    """The names in every interface of the file."""
    found = re.findall(r"^export interface (\w+) \{\n(.*?)^\}", TYPES, re.MULTILINE | re.DOTALL)
    return {name: set(re.findall(r"^  (\w+):", body, re.MULTILINE)) for name, body in found}


def test_the_views_in_the_file_are_those_of_python() -> None:
    assert typescript.update_interfaces(TYPES) == TYPES, "run `make contract`"
    assert typescript.render_interfaces() in TYPES


def test_a_field_of_what_has_no_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="no field of a document is <class 'bytes'>"):
        field_type(tuple[bytes, ...])


def test_every_part_of_a_payload_has_a_type() -> None:
    assert interfaces().keys() == PARTS.keys()


@pytest.mark.parametrize("part", PARTS)
def test_a_part_has_the_names_of_its_type(part: str) -> None:
    assert PARTS[part].keys() == interfaces()[part]
