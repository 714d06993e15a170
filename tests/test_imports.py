"""Imports point one way: norms <- topics <- lessons <- web <- pages, app.

explorable knows neither topics nor Streamlit.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Imports the modules it is given, in order, and prints for each what it was the first to load.
LOADED_BY = """
import importlib, json, sys
loaded_by = {}
for name in sys.argv[1:]:
    before = set(sys.modules)
    importlib.import_module(name)
    loaded_by[name] = sorted(set(sys.modules) - before)
print(json.dumps(loaded_by))
"""


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(file): file for file in sorted((ROOT / "lnviz").rglob("*.py"))}


def is_within(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


NORMS = {
    name
    for name in FILES
    if name in {"lnviz", "lnviz.device", "lnviz.progress"} or is_within(name, {"lnviz.norms"})
}
DRAWN = {"lnviz.explorable", "lnviz.lessons", "lnviz.web"}
TOPICS = {name for name in FILES if name not in NORMS and not is_within(name, DRAWN)}
PAGES = {"pages", "app"}
SCRIPTS = {"lnviz.web.main"}  # Streamlit runs it; importing it would run it

LAYERS = {
    "norms": {name for name in FILES if name in NORMS},
    "topics": TOPICS,
    "explorable": {name for name in FILES if is_within(name, {"lnviz.explorable"})},
    "lessons": {name for name in FILES if is_within(name, {"lnviz.lessons"})},
    "web": {name for name in FILES if is_within(name, {"lnviz.web"})},
}
FORBIDDEN = {
    "norms": TOPICS | DRAWN | PAGES | {"plotly", "sklearn", "streamlit"},
    "topics": DRAWN | PAGES | {"plotly", "streamlit"},
    "explorable": TOPICS | {"lnviz.lessons", "lnviz.web"} | PAGES | {"streamlit"},
    "lessons": {"lnviz.web"} | PAGES | {"streamlit"},
    "web": PAGES,
}


def written_imports(module: str) -> Iterator[str]:
    """Yield the absolute name of all that a module's text imports, inside functions too."""
    package = module if FILES[module].name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(FILES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = resolve_name("." * node.level + (node.module or ""), package)
            yield from (f"{source}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("layer", LAYERS)
def test_importing_a_layer_loads_nothing_above_it(layer: str) -> None:
    modules = sorted(LAYERS[layer] - SCRIPTS)
    assert modules, f"the layer {layer} has no modules"
    run = subprocess.run(
        [sys.executable, "-c", LOADED_BY, *modules],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    wrong_way = {
        module: wrong
        for module, loaded in json.loads(run.stdout).items()
        if (wrong := [name for name in loaded if is_within(name, FORBIDDEN[layer])])
    }
    assert not wrong_way


@pytest.mark.parametrize("layer", LAYERS)
def test_no_module_imports_a_layer_above_its_own_not_even_inside_a_function(layer: str) -> None:
    wrong_way = {
        module: wrong
        for module in sorted(LAYERS[layer])
        if (
            wrong := [name for name in written_imports(module) if is_within(name, FORBIDDEN[layer])]
        )
    }
    assert not wrong_way
