"""What `import lnviz` gives, and how soon."""

import subprocess
import sys

import pytest

import lnviz
from lnviz import norms

SOON = 0.05  # seconds of CPU: what others do on the machine is not its own
TIMED = """
import sys, time
begun = time.process_time()
import lnviz
print(time.process_time() - begun, *sorted({"torch", "plotly", "streamlit"} & set(sys.modules)))
"""


@pytest.mark.parametrize("name", sorted(set(lnviz.__all__) - {"figure", "load", "plot", "watch"}))
def test_a_name_of_the_face_is_that_of_the_norms(name: str) -> None:
    assert getattr(lnviz, name) is getattr(norms, name)


def test_every_norm_of_the_catalogue_that_has_a_name_is_in_the_face() -> None:
    named = {name for name, value in vars(norms).items() if isinstance(value, norms.Norm)}
    assert named <= set(lnviz.__all__)


def test_the_face_lists_its_names_and_has_no_others() -> None:
    assert dir(lnviz) == sorted(lnviz.__all__)
    with pytest.raises(AttributeError, match="module 'lnviz' has no attribute 'norm'"):
        lnviz.norm  # type: ignore[attr-defined]  # noqa: B018


def test_importing_the_package_loads_nothing_and_takes_no_time() -> None:
    answers = [
        subprocess.run(
            [sys.executable, "-c", TIMED], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(5)
    ]
    assert all(len(answer) == 1 for answer in answers), answers
    assert min(float(seconds) for seconds, *_ in answers) < SOON
