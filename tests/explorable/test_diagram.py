"""Block diagrams as they travel to the browser."""

import json

from lnviz.explorable import Diagram, DiagramArrow, DiagramBar, DiagramBox, Profile

DIAGRAM = Diagram(
    "at {a}",
    "step",
    (DiagramBox((5, 5), (8, 4), "norm {b:2}", (1,), token="layer"),),
    (DiagramArrow(((0, 0), (0, 9)), (0, 1), width="e"),),
    (10, 10),
    "{step}",
    "{d}",
    bars=(DiagramBar((0, 0), (9, 1), "k", "{l}", "{m:2}"),),
    profile=Profile(("{f}", "bars"), "g", "h", 1.0, ("{i:2}", "{j:2}"), (10, 10)),
    when={"c": (1,)},
)


def test_a_diagram_names_its_control_and_what_its_words_and_widths_show() -> None:
    assert set(DIAGRAM.references()) == {*"abcdefghijklm", "step"}


def test_boxes_and_arrows_say_at_which_positions_they_stand_out() -> None:
    document = json.loads(json.dumps(DIAGRAM.payload()))
    assert document["kind"] == "diagram"
    assert [part["at"] for part in (*document["boxes"], *document["arrows"])] == [[1], [0, 1]]
