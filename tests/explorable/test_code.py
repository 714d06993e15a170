"""Code panels: Python files whose marked lines follow a figure."""

from pathlib import Path

import pytest

from lnviz.explorable.code import load_program, referenced_controls

WRITTEN = """\
gain = 1.0  # «gain»
x = [1.0]  # «the input»
print(gain * x[0])
"""


@pytest.fixture
def module(tmp_path: Path) -> str:
    (tmp_path / "line_code.py").write_text(WRITTEN, encoding="utf-8")
    return str(tmp_path / "line.py")


def test_a_marked_line_takes_what_the_figure_gives(module: str) -> None:
    assert "x = [2.0]\n" in load_program(module, the_input="[2.0]")


def test_a_marked_line_that_nothing_is_given_for_waits_for_a_control(module: str) -> None:
    assert load_program(module, the_input="[2.0]").startswith("gain = «gain»\n")


def test_other_lines_stay_as_they_are(module: str) -> None:
    assert load_program(module).endswith("print(gain * x[0])\n")


def test_lines_between_marks_wait_for_a_control_together(tmp_path: Path) -> None:
    lines = "# «norm»\nmean = x.mean()\n\ny = x - mean\n# «»\nprint(y)\n"
    (tmp_path / "line_code.py").write_text(lines, encoding="utf-8")
    assert load_program(str(tmp_path / "line.py")) == "«norm»\nprint(y)\n"


def test_what_no_line_is_marked_with_is_refused(module: str) -> None:
    with pytest.raises(ValueError, match=r"no line of line_code\.py is marked with \['bias'\]"):
        load_program(module, bias="0.0")


def test_the_controls_in_a_program_are_those_it_still_waits_for(module: str) -> None:
    assert referenced_controls(load_program(module)) == {"gain", "the input"}
    assert referenced_controls(load_program(module, the_input="[2.0]")) == {"gain"}
