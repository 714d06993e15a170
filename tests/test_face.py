"""What `import lnviz` gives."""

import subprocess
import sys

import pytest

import lnviz
from lnviz import norms

LOADED = """
import sys
import lnviz
print(*sorted({"torch", "plotly", "streamlit"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    "name", sorted(set(lnviz.__all__) - {"compare", "figure", "load", "plot", "watch"})
)
def test_a_name_of_the_face_is_that_of_the_norms(name: str) -> None:
    assert getattr(lnviz, name) is getattr(norms, name)


def test_every_norm_of_the_catalogue_that_has_a_name_is_in_the_face() -> None:
    named = {name for name, value in vars(norms).items() if isinstance(value, norms.Norm)}
    assert named <= set(lnviz.__all__)


def test_the_face_lists_its_names_and_has_no_others() -> None:
    assert dir(lnviz) == sorted(lnviz.__all__)
    with pytest.raises(AttributeError, match="module 'lnviz' has no attribute 'norm'"):
        lnviz.norm  # type: ignore[attr-defined]  # noqa: B018


def test_importing_the_package_loads_no_other() -> None:
    command = [sys.executable, "-c", LOADED]
    assert not subprocess.check_output(command, text=True).split()
