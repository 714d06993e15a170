"""Numbers are written by one rule, whose cases the scripts' tests run too."""

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnviz.number_format import number

CASES = json.loads((Path(__file__).parent / "frontend" / "engine" / "numbers.json").read_text())
SCRIPT = Path(__file__).parents[1] / "lnviz" / "frontend" / "engine" / "numbers.js"
FORMS = ("0", "1", "3", "g", "g2", "g4", "p3", "0c", "1f", "g2c", "g4f")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['value']}:{case['form']}")
def test_a_number_is_written_as_its_form_says(case: dict[str, str | float | None]) -> None:
    value = math.nan if case["value"] is None else float(case["value"])
    assert number(value, str(case["form"])) == case["text"]


@given(st.floats(1e-12, 1e12).flatmap(lambda size: st.sampled_from((size, -size))))
def test_a_written_number_is_within_half_of_its_last_digit(value: float) -> None:
    written = number(value, "3").replace("−", "-").replace(",", "")
    assert abs(float(written) - value) <= 0.0005 * (1 + 1e-9) + abs(value) * 1e-15


def test_python_and_the_browser_write_the_same() -> None:
    sizes = [digits * 10.0**power for digits in (1, 1.5, 9.9995) for power in range(-9, 10)]
    values = [sign * size for sign in (1, -1) for size in sizes]
    node = Path(sys.executable).parent / "node"
    program = (
        f"import {{ formatNumber }} from {json.dumps(SCRIPT.as_uri())};"
        f"const asked = {json.dumps([[v, f] for v in values for f in FORMS])};"
        "console.log(JSON.stringify(asked.map(([value, form]) => formatNumber(value, form))));"
    )
    found = subprocess.run(
        [shutil.which(node) or "node", "--input-type=module", "-e", program],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert json.loads(found.stdout) == [number(v, f) for v in values for f in FORMS]
