"""What pyproject.toml says that the package needs."""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = tuple(PROJECT["optional-dependencies"])


def needed(*extras: str) -> dict[str, Requirement]:
    """What the core and these extras need, with the extras that they include, by name."""
    ahead = [Requirement(each) for each in PROJECT["dependencies"]]
    ahead += [Requirement(f"lnviz[{','.join(extras)}]")]
    found = {}
    while ahead:
        each = ahead.pop()
        if each.name == "lnviz":
            groups = PROJECT["optional-dependencies"]
            ahead += [Requirement(inner) for extra in each.extras for inner in groups[extra]]
        else:
            found[canonicalize_name(each.name)] = each
    return found
