"""The notebook beside the documents, executed cell by cell."""

import json
from pathlib import Path
from typing import Any

import pytest

from lnviz.explorable import Explorable

pytestmark = pytest.mark.slow

FILE = Path(__file__).parents[1] / "docs" / "no-learning.ipynb"


@pytest.fixture(scope="module")
def executed() -> dict[str, Any]:
    """What is there after all cells."""
    names: dict[str, Any] = {"__name__": "notebook"}
    cells = json.loads(FILE.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    return names


def test_the_model_does_not_learn_and_watching_finds_its_gradients(
    executed: dict[str, Any],
) -> None:
    mean, losses = executed["mean"], executed["losses"]
    assert mean(losses[-10:]) == pytest.approx(mean(losses[20:30]), abs=0.03)
    assert executed["finding"].kind == "gradient"
    assert len(executed["watched"].findings) == 1
    assert isinstance(executed["watched"].figure("gradients"), Explorable)


@pytest.mark.parametrize("mended", ["pre", "warmed"])
def test_it_learns_once_it_is_mended_and_nothing_is_found(
    executed: dict[str, Any], mended: str
) -> None:
    mean = executed["mean"]
    assert mean(executed[f"losses_{mended}"][-10:]) < 0.85 * mean(executed["losses"][-10:])
    assert executed[f"watched_{mended}"].findings == ()


def test_no_output_is_kept_in_the_file() -> None:
    for cell in json.loads(FILE.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs")
