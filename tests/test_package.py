"""What `pip install .` installs, and what its parts need."""

import subprocess
import sys
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from hatchling import build
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from safetensors.torch import save_file
from torch import nn

from lnviz.version import __version__
from tests.dependencies import EXTRAS, PROJECT, needed

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


@pytest.mark.slow
def test_every_file_of_the_package_is_installed(installed: Path) -> None:
    for file in (ROOT / "lnviz").rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            assert (installed / file.relative_to(ROOT)).read_bytes() == file.read_bytes()


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_wheel_says_what_the_project_says_and_brings_its_licenses(installed: Path) -> None:
    (metadata,) = installed.glob("*.dist-info/METADATA")
    said = [line.partition(": ") for line in metadata.read_text("utf-8").splitlines()]
    required = {Requirement(value).name for key, _, value in said if key == "Requires-Dist"}
    assert required - {"lnviz"} == needed(*EXTRAS).keys()
    assert {value for key, _, value in said if key == "Provides-Extra"} == set(EXTRAS)
    assert [value for key, _, value in said if key == "Version"] == [__version__]
    for name in PROJECT["license-files"]:
        kept = metadata.parent / "licenses" / name
        assert kept.read_bytes() == (ROOT / name).read_bytes()


def _modules_without(*extras: str) -> list[str]:
    """The modules of others that come with neither the core nor these extras."""
    there = needed(*extras)
    return [
        module
        for module, sources in packages_distributions().items()
        if any(canonicalize_name(source) in needed(*EXTRAS).keys() - there for source in sources)
    ]


REFUSE = """
import sys
for name in {modules}:
    sys.modules[name] = None
import torch
from torch import nn

import lnviz
from lnviz.__main__ import main

torch.manual_seed(0)
x = torch.randn(16, 8)
model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8))
"""
CORE = """
from lnviz.testing import assert_healthy

assert lnviz.normalize(x, over=-1).y.equal(lnviz.LAYER.apply(x, "ND").y)
with lnviz.watch(model) as watched:
    model(x).square().mean().backward()
print(watched.report())
watched.save({folder!r} + "/run.npz")
print(lnviz.load({folder!r} + "/run.npz").report() == watched.report())
print(lnviz.compare(model, nn.Sequential(model[0], nn.LayerNorm(8, eps=1e-3)), x))
assert_healthy(model, x)
for words in (["inspect", {file!r}], ["compare", {file!r}, {file!r}], ["--version"]):
    try:
        print(main(words))
    except SystemExit as ended:
        print(ended.code)
for call in (
    lambda: watched.to_frame(),
    lambda: watched.write_html("no.html"),
    lambda: lnviz.figure("axes", "grid"),
    lambda: lnviz.plot(lnviz.normalize(x, -1)),
    lambda: watched.figure("gains"),
):
    try:
        call()
    except ImportError as error:
        print(error)
for words in ("inspect {file} --html no.html", "run", "serve", "export no", "train list"):
    print(words.split()[0], main(words.split()))
"""


def _run_without(modules: list[str], program: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", REFUSE.replace("{modules}", repr(modules)) + program]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_core_works_with_nothing_else_and_says_what_brings_the_rest(tmp_path: Path) -> None:
    modules = _modules_without()
    assert {"streamlit", "plotly", "pandas", "sqlalchemy", "markdown_it"} <= set(modules)
    file = tmp_path / "weights.safetensors"
    save_file({"norm.weight": nn.LayerNorm(8).weight.detach()}, file)
    program = CORE.replace("{folder!r}", repr(str(tmp_path))).replace("{file!r}", repr(str(file)))
    ended = _run_without(modules, program.replace("{file}", str(file)))
    said = ended.stdout + ended.stderr
    assert ended.returncode == 0, said
    assert "Traceback" not in said
    for sentence in (
        "Sequential: norms: 1, calls: 1",
        "Epsilon is 1 × 10⁻⁵ in theirs and 0.001 in mine.",
        "norm.weight",
        f"lnviz {__version__}",
        'pandas is not installed. Install it: pip install "lnviz[figures]"',
    ):
        assert sentence in said
    assert ended.stdout.count('pip install "lnviz[figures]"') == 2  # a table and a page
    assert ended.stdout.count('pip install "lnviz[notebook]"') == 3
    assert ended.stderr.count('pip install "lnviz[figures]"') == 1
    assert ended.stderr.count('pip install "lnviz[app]"') == 4
    for command in ("inspect", "run", "serve", "export", "train"):
        assert f"{command} 1" in ended.stdout


DRAWING = """
from importlib import import_module
from pkgutil import walk_packages

from lnviz import lessons

for module in walk_packages(lessons.__path__, "lnviz.lessons."):
    if not module.name.endswith("_code"):
        import_module(module.name)
with lnviz.watch(model) as watched:
    model(x).square().mean().backward()
watched.write_html({file!r})
print(len(watched.to_frame()), lnviz.plot(lnviz.normalize(x, -1)).title)
"""


@pytest.mark.slow
def test_every_figure_and_a_report_need_only_what_draws(tmp_path: Path) -> None:
    modules = _modules_without("figures")
    assert {"streamlit", "sqlalchemy", "anywidget"} <= set(modules)
    page = tmp_path / "page.html"
    ended = _run_without(modules, DRAWING.replace("{file!r}", repr(str(page))))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "1 Normalized values of shape (16, 8)\n"
    assert "<h1" in page.read_text("utf-8")


@pytest.mark.slow
def test_a_type_checker_knows_the_names_of_the_package_and_no_others(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import lnviz\nlnviz.normalize, lnviz.__version__, lnviz.nomalize\n")
    # What the package imports may be anything: its names count.
    words = ["--follow-imports=skip", "--cache-dir", str(tmp_path / "cache")]
    said = subprocess.run(
        [sys.executable, "-m", "mypy", *words, "lnviz/__init__.py", str(program)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    (fault,) = (line for line in said.splitlines() if "program.py" in line)
    assert 'Module has no attribute "nomalize"' in fault
