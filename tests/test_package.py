"""What `pip install .` installs."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling import build

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel holds."""
    folder = tmp_path_factory.mktemp("installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        wheel = build.build_wheel(str(folder))
    with zipfile.ZipFile(folder / wheel) as packed:
        packed.extractall(folder)
    return folder


def test_every_file_of_the_package_is_installed(installed: Path) -> None:
    for file in (ROOT / "lnviz").rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            assert (installed / file.relative_to(ROOT)).read_bytes() == file.read_bytes()


def test_an_installed_package_finds_the_app_its_pages_and_settings(installed: Path) -> None:
    asked = "from lnviz.web.app_root import APP_ROOT; print(APP_ROOT)"
    site = Path(
        subprocess.run(
            [sys.executable, "-c", asked], cwd=installed, capture_output=True, text=True, check=True
        ).stdout.strip()
    )
    assert site.is_relative_to(installed)
    pages = [f"pages/{file.name}" for file in (ROOT / "pages").glob("*.py")]
    assert pages
    for name in ("app.py", ".streamlit/config.toml", *pages):
        assert (site / name).read_bytes() == (ROOT / name).read_bytes()


def test_what_is_required_is_what_the_files_say(installed: Path) -> None:
    (metadata,) = installed.glob("*.dist-info/METADATA")
    said = metadata.read_text("utf-8").splitlines()
    required = [line.partition(": ")[2] for line in said if line.startswith("Requires-Dist")]
    needed = [each for each in required if "extra ==" not in each]
    assert len(needed) == len(_listed("requirements.txt")) > 0
    assert len(required) - len(needed) == len(_listed("requirements-notebook.txt")) > 0


def _listed(name: str) -> list[str]:
    lines = (ROOT / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
