"""`payload.d.ts`, which the scripts are checked against, names what Python emits, and no more."""

import re
from typing import Any

import plotly.graph_objects as go
import pytest
import torch

from lnviz.explorable import (
    Along,
    Arrow,
    Axis,
    Ball,
    Bar,
    Box,
    Chart,
    Choice,
    Cube,
    Diagram,
    Edges,
    Edits,
    Explorable,
    Grid,
    Job,
    Margin,
    Option,
    Path,
    Photos,
    Pick,
    Pictures,
    Plane,
    Pointer,
    Profile,
    Readout,
    Scene,
    Slider,
    Spot,
    Standing,
    Swept,
    Units,
    Whole,
    Written,
    block,
    typescript,
)
from lnviz.explorable.schema import kind_of
from lnviz.lessons import Figure
from lnviz.training.experiment import Specification

TYPES = typescript.FILE.read_text(encoding="utf-8")


def build(data: str, seed: int, run: str, text: str) -> Explorable:
    """A figure with one of everything."""
    figure = go.Figure([go.Scatter(x=[0, 1], y=[0, 1]) for _ in range(3)])
    bind = {
        0: {"y": Along("x", "norm")},
        1: {"y": Edges("x", "x")},
        2: {"y": Standing("norm", (0,))},
    }
    chart = Chart("t", figure, bind, "a")
    margin = Margin("row", "mean", "x")
    pictures = Pictures("t", "image", ("l",), "a", 1.0)
    photos = Photos("t", "photo", "scale", "scale", ("l",), "a")
    seen = block(torch.arange(2).view(1, 1, 2), (30.0, 60.0))
    cube = Cube("t", "cell", "corners", "size", seen.faces, seen.size, "x", "a", (Axis("w", 0),))
    box, arrow = Box((0, 0), (1, 1), "b"), Arrow(((0, 0), (1, 1)))
    bar = Bar((0, 0), (1, 1), "x", "t", "t")
    profile = Profile(("t", "t"), "x", "x", 1.0, ("a", "b"), (1, 1))
    diagram = Diagram("t", "size", (box,), (arrow,), (1, 1), "a", bars=(bar,), profile=profile)
    scene = Scene(
        "t", "camera", "size", 1.0, "a", (Path(("place",)),), (Spot("place"),), (Ball(1.0, "rms"),)
    )
    plane = Plane("t", "place", "place", ("a", "b"), 1.0, ("x", "y"), "a", paint="data")
    units = Units("t", "image", "image", "size", "a")
    return Explorable(
        f"{data} {seed} {run}",
        (
            Slider.linear("size", 1, 2, 1, 1),
            Choice("norm", (Option("a", "A", "batch"), Option("b", "B")), "a"),
            Pointer("cell", ("1",), ("1", "2"), "unit"),
        ),
        {
            "x": Swept(("norm",), torch.zeros(2, 1), 2),
            "image": Swept((), torch.zeros(1, 1, 2, 2)),
            "corners": Swept(("size",), seen.corners),
            "photo": Swept((), torch.zeros(1, 3, 2, 2)),
            "scale": Swept((), torch.zeros(1, 3)),
            "camera": Swept((), torch.eye(3)),
            "place": Swept((), torch.zeros(3)),
        },
        (
            (Grid("t", "cell", 1.0, "x", rows=(("r", "x"),), margins=(margin,)), chart),
            (Readout("{cell}"), pictures, cube, photos, diagram, scene, plane, units),
        ),
        edits=Edits("data", "cell", "table.", (("1", "2"),), (0, 0)),
    )


SPECIFICATION = Specification("a", ("none",), (4,), (0.1,), (0,), 10).document()
FORM = {
    "experiments": [
        {
            "name": "a",
            "label": "A",
            "norms": [{"key": "none", "label": "no norm"}],
            "batch_sizes": [4],
            "rates": [0.1],
            "heads": ["plain"],
            "fewest": {},
            "default": SPECIFICATION,
            "reads_file": False,
        }
    ]
}
PARAMETERS = (
    Pick("data", "Data", (Option("worked", "worked"),), "worked"),
    Whole("seed", "Seed", 0, 9, 0),
    Job("run", "Runs", (Option("a", "A"),), "a", FORM),
    Written("text", "Text", "a", str),
)
DOCUMENT = Figure("all", build, PARAMETERS).payload(
    {"data": "worked", "seed": 0, "run": "a", "text": "a"}
)
SLIDER, CHOICE, POINTER = DOCUMENT["controls"]
(GRID, CHART), (READOUT, PICTURES, CUBE, PHOTOS, DIAGRAM, SCENE, PLANE, UNITS) = DOCUMENT["views"]
PARTS: dict[str, dict[str, Any]] = {
    "Payload": DOCUMENT,
    "Slider": SLIDER,
    "Choice": CHOICE,
    "Pointer": POINTER,
    "TensorDocument": DOCUMENT["tensors"]["x"],
    "Grid": GRID,
    "Margin": GRID["margins"][0],
    "Chart": CHART,
    "Values": CHART["bind"]["0"]["y"],
    "Edges": CHART["bind"]["1"]["y"],
    "Standing": CHART["bind"]["2"]["y"],
    "Pictures": PICTURES,
    "Photos": PHOTOS,
    "Cube": CUBE,
    "Face": CUBE["faces"][0],
    "Axis": CUBE["axes"][0],
    "Diagram": DIAGRAM,
    "Box": DIAGRAM["boxes"][0],
    "Arrow": DIAGRAM["arrows"][0],
    "Bar": DIAGRAM["bars"][0],
    "Profile": DIAGRAM["profile"],
    "Scene": SCENE,
    "Path": SCENE["paths"][0],
    "Spot": SCENE["spots"][0],
    "Ball": SCENE["balls"][0],
    "Plane": PLANE,
    "Units": UNITS,
    "Readout": READOUT,
    "Field": READOUT["pieces"][0],
    "Pick": DOCUMENT["parameters"][0],
    "Edits": DOCUMENT["edits"],
    "Whole": DOCUMENT["parameters"][1],
    "Job": DOCUMENT["parameters"][2],
    "Written": DOCUMENT["parameters"][3],
    "Experiment": DOCUMENT["parameters"][2]["form"]["experiments"][0],
    "Specification": DOCUMENT["parameters"][2]["form"]["experiments"][0]["default"],
}


def interfaces() -> dict[str, set[str]]:
    """The names in every interface of the file."""
    found = re.findall(r"^export interface (\w+) \{\n(.*?)^\}", TYPES, re.MULTILINE | re.DOTALL)
    return {name: set(re.findall(r"^  (\w+):", body, re.MULTILINE)) for name, body in found}


def test_the_views_in_the_file_are_those_of_python() -> None:
    assert typescript.written(TYPES) == TYPES, "run `make contract`"
    assert typescript.section() in TYPES


def test_a_field_of_what_has_no_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="no field of a document is <class 'bytes'>"):
        kind_of(tuple[bytes, ...])


def test_every_part_of_a_payload_has_a_type() -> None:
    assert interfaces().keys() == PARTS.keys()


@pytest.mark.parametrize("part", PARTS)
def test_a_part_has_the_names_of_its_type(part: str) -> None:
    assert PARTS[part].keys() == interfaces()[part]
