"""Explorables: interactive figures computed once and looked up in the browser."""

from lnviz.explorable.chart import Along, Chart, Edges, Source, Standing
from lnviz.explorable.code import program
from lnviz.explorable.controls import (
    Choice,
    Control,
    Option,
    Pointer,
    Slider,
    Stepper,
    Switch,
    slug,
)
from lnviz.explorable.cube import Axis, Cube, block
from lnviz.explorable.diagram import Arrow, Bar, Box, Diagram, Profile
from lnviz.explorable.edits import Edits
from lnviz.explorable.explorable import Explorable, Row
from lnviz.explorable.parameters import (
    OWN,
    Gone,
    Job,
    Parameter,
    ParameterError,
    Pick,
    Whole,
    Written,
)
from lnviz.explorable.photos import Photos
from lnviz.explorable.plane import Plane
from lnviz.explorable.scene import Ball, Path, Scene, Spot, cameras
from lnviz.explorable.schema import When
from lnviz.explorable.swept import Swept
from lnviz.explorable.units import Units
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
    "OWN",
    "UNCOLORED",
    "Along",
    "Arrow",
    "Axis",
    "Ball",
    "Bar",
    "Box",
    "Chart",
    "Choice",
    "Control",
    "Cube",
    "Diagram",
    "Edges",
    "Edits",
    "Explorable",
    "Gone",
    "Grid",
    "Job",
    "Margin",
    "Option",
    "Parameter",
    "ParameterError",
    "Path",
    "Photos",
    "Pick",
    "Pictures",
    "Plane",
    "Pointer",
    "Profile",
    "Readout",
    "Row",
    "Scene",
    "Side",
    "Slider",
    "Source",
    "Spot",
    "Standing",
    "Stepper",
    "Swept",
    "Switch",
    "Units",
    "View",
    "When",
    "Whole",
    "Written",
    "block",
    "cameras",
    "program",
    "slug",
]
