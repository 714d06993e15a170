"""Interactive figures: computed once for all control positions, then looked up in the browser."""

from lnviz.explorable.chart import BandEdges, Chart, MarkAt, SliceAlong, TraceSource
from lnviz.explorable.code import load_program
from lnviz.explorable.controls import (
    CellPicker,
    Choice,
    Control,
    Option,
    Slider,
    StepChoice,
    Toggle,
    slug,
)
from lnviz.explorable.cube import Cube, CubeAxis, project_block
from lnviz.explorable.diagram import Diagram, DiagramArrow, DiagramBar, DiagramBox, Profile
from lnviz.explorable.edits import Edits
from lnviz.explorable.explorable import Explorable, ViewRow
from lnviz.explorable.parameters import (
    CUSTOM,
    EnumParameter,
    ExpiredDataError,
    IntParameter,
    Parameter,
    ParameterError,
    RunParameter,
    TextParameter,
)
from lnviz.explorable.photos import PhotoGallery
from lnviz.explorable.plane import ScatterPlane
from lnviz.explorable.scene import Marker3d, Path, Scene, Sphere, cameras
from lnviz.explorable.schema import When
from lnviz.explorable.steps import Step
from lnviz.explorable.swept import SweptTensor
from lnviz.explorable.units import UnitMaps
from lnviz.explorable.views import (
    UNCOLORED,
    Grid,
    Margin,
    Pictures,
    Readout,
    Side,
    View,
)

__all__ = [
    "CUSTOM",
    "UNCOLORED",
    "BandEdges",
    "CellPicker",
    "Chart",
    "Choice",
    "Control",
    "Cube",
    "CubeAxis",
    "Diagram",
    "DiagramArrow",
    "DiagramBar",
    "DiagramBox",
    "Edits",
    "EnumParameter",
    "ExpiredDataError",
    "Explorable",
    "Grid",
    "IntParameter",
    "Margin",
    "MarkAt",
    "Marker3d",
    "Option",
    "Parameter",
    "ParameterError",
    "Path",
    "PhotoGallery",
    "Pictures",
    "Profile",
    "Readout",
    "RunParameter",
    "ScatterPlane",
    "Scene",
    "Side",
    "SliceAlong",
    "Slider",
    "Sphere",
    "Step",
    "StepChoice",
    "SweptTensor",
    "TextParameter",
    "Toggle",
    "TraceSource",
    "UnitMaps",
    "View",
    "ViewRow",
    "When",
    "cameras",
    "load_program",
    "project_block",
    "slug",
]
