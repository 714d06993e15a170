"""Stored results: their declaration, computation, storage in files, and loading.

A file is in NumPy's `.npz` format, with a JSON header beside the arrays. `xarray` with NetCDF
(through SciPy) could store the same. But importing it takes 1.0 s of CPU time and 80 MB more than
PyTorch alone, nearly all of it for pandas (xarray 2026.9, Python 3.11, two cores), and a server
must respond within 5 s of its start. The sixty lines of `arrays.py` provide all that is needed:
named axes, and selection by coordinates.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from io import BufferedIOBase
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor

from lnviz.device import device
from lnviz.fingerprint import fingerprint
from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback, device_name, progress_bar, versions

S = TypeVar("S")
HEADER_KEY = "header"
RESULTS_DIR = Path(__file__).parent
IGNORED_MODULES = (
    "lnviz.results",
    "lnviz.database",
    "lnviz.data.uploads",
    "lnviz.training.fair_share",
    "lnviz.training.job",
    "lnviz.training.job_repository",
    "lnviz.training.run_repository",
)
"""Modules that store results, visitors' trainings and their files. No number depends on them, so
they are not part of a result's fingerprint.
"""


@dataclass(frozen=True)
class Header:
    """Provenance of a stored result: command, settings, versions, device, date and fingerprint.

    Attributes:
        command: the command that computes the result.
        specification: the fields of the result's specification.
        versions: versions of Python and of the packages, by name.
        device: printable name of the device.
        day: ISO date of the computation.
        fingerprint: fingerprint of the code that has been verified to reproduce the result; empty
            if none has.
    """

    command: str
    specification: Mapping[str, Any]
    versions: Mapping[str, str]
    device: str
    day: str
    fingerprint: str

    @property
    def made_with(self) -> str:
        """A sentence with the package versions and the device that computed the result."""
        listed = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return f"Made with {listed} on {self.device}."


@dataclass(frozen=True, eq=False)
class Result(ArrayDataset, Generic[S]):
    """A computed result: named arrays, the settings of the computation, and the provenance.

    Attributes:
        axes: the coordinates of each axis, by the axis's name.
        arrays: the arrays by name.
        specification: the settings of the computation.
        header: the provenance.
    """

    specification: S
    header: Header


Make = Callable[[S, torch.device, ProgressCallback], ArrayDataset]


@dataclass(frozen=True, eq=False)
class Artifact(Generic[S]):
    """Declaration of a stored result: how to compute it, its settings, and the page that shows it.

    Attributes:
        name: name of the file, and of the result in commands.
        description: a description in one sentence.
        page: the page that shows the result.
        make: computes the arrays, given a specification, a device and a progress callback.
        default: the default specification, a frozen dataclass; its fields are the command's
            options.
        quick: fields of a specification whose computation takes seconds, for tests and for trying
            the command.
        count_steps: returns the number of steps of a specification, for the progress bar.
        device: name of a required device; by default `lnviz.device` chooses one.
        describe_device: returns a printable name of the device, given the specification and the
            device.
    """

    name: str
    description: str
    page: str
    make: Make[S]
    default: S
    quick: Mapping[str, Any]
    count_steps: Callable[[S], int]
    device: str = ""
    describe_device: Callable[[S, torch.device], str] = lambda _, on: device_name(on)

    @property
    def path(self) -> Path:
        """The path of the file that stores the result."""
        return RESULTS_DIR / f"{self.name}.npz"

    @property
    def command(self) -> str:
        """The shell command that recomputes the stored file."""
        return f"lnviz results make {self.name}"

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the current code that computes the result."""
        return fingerprint(self.make.__module__, exclude=IGNORED_MODULES)

    def compute(self, specification: S) -> Result[S]:
        """Compute the result for a specification, with a progress bar on standard error.

        Raises:
            ValueError: the result requires a CUDA device, and PyTorch finds none.
        """
        on = torch.device(self.device) if self.device else device()
        if on.type == "cuda" and not torch.cuda.is_available():
            raise ValueError(f"{self.name} is made on a CUDA device, but PyTorch finds none here.")
        arrays = self.make(specification, on, progress_bar(self.count_steps(specification)))
        header = Header(
            self.command,
            asdict(specification),  # type: ignore[call-overload]
            versions(),
            self.describe_device(specification, on),
            date.today().isoformat(),
            self.fingerprint,
        )
        return Result(arrays.axes, arrays.arrays, specification, header)

    @property
    def result(self) -> Result[S]:
        """The stored result, loaded from its file.

        Raises:
            FileNotFoundError: the file does not exist.
        """
        result: Result[S] = _load(self)
        return result


@cache
def _load(stored: Artifact[Any]) -> Result[Any]:
    with stored.path.open("rb") as opened:
        return parse_result(opened, stored.path.name, type(stored.default), widen=False)


def forget() -> None:
    """Drop the results that were loaded; they are loaded again when they are needed."""
    _load.cache_clear()


def write(result: Result[Any], path: Path) -> None:
    """Write a result to a file that `read` can load."""
    described = {
        "axes": dict(result.axes),
        "over": {name: array.dims for name, array in result.arrays.items()},
        "made": asdict(result.header),
    }
    text = json.dumps(described, separators=(",", ":"), allow_nan=False)
    arrays: dict[str, Any] = {
        name: _to_smallest_dtype(array.values) for name, array in result.arrays.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        np.savez_compressed(file, **{HEADER_KEY: np.frombuffer(text.encode(), np.uint8)} | arrays)


def read(path: Path, make_specification: Callable[..., S]) -> Result[S]:
    """Load a result from the file at a path.

    Args:
        path: the path of the file.
        make_specification: constructs the specification from its fields.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file is not a stored result.
    """
    with path.open("rb") as opened:
        return parse_result(opened, path.name, make_specification)


def parse_result(
    opened: BufferedIOBase,
    name: str,
    make_specification: Callable[..., S],
    *,
    widen: bool = True,
) -> Result[S]:
    """Load a result from an open binary file.

    Args:
        opened: the file.
        name: the file's name, for error messages.
        make_specification: constructs the specification from its fields.
        widen: whether integers become 64-bit ones here. Otherwise `ArrayDataset.tensor` widens the
            part that is asked for, which takes an eighth of the memory, and arithmetic with
            `NamedArray.values` may overflow.

    Raises:
        ValueError: the file is not a stored result.
    """
    with np.load(opened, allow_pickle=False) as file:
        if HEADER_KEY not in file:
            raise ValueError(f"A stored result must begin with a header, but {name} has none.")
        described = json.loads(file[HEADER_KEY].tobytes())
        arrays = {
            array: NamedArray(tuple(over), _to_tensor(file[array], widen))
            for array, over in described["over"].items()
        }
    axes = {axis: tuple(along) for axis, along in described["axes"].items()}
    header = Header(**described["made"])
    fields = {field: _to_tuples(value) for field, value in header.specification.items()}
    return Result(axes, arrays, make_specification(**fields), header)


def _to_smallest_dtype(values: Tensor) -> np.ndarray[Any, Any]:
    """Convert values to the smallest dtype that represents all of them exactly."""
    array: np.ndarray[Any, Any] = values.detach().cpu().numpy()
    if array.dtype == np.float32:
        with np.errstate(over="ignore"):
            half = array.astype(np.float16)
        return half if np.array_equal(half, array, equal_nan=True) else array
    if array.dtype == np.int64 and array.size:
        low, high = array.min(), array.max()
        kinds = (np.dtype(f"{sign}{size}") for size in (1, 2, 4, 8) for sign in "iu")
        ends = ((kind, np.iinfo(kind)) for kind in kinds)
        return array.astype(next(kind for kind, e in ends if e.min <= low and high <= e.max))
    return array


def _to_tensor(array: np.ndarray[Any, Any], widen: bool) -> Tensor:
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    elif array.dtype.kind in "iu" and (widen or array.dtype not in (np.int8, np.uint8, np.int16)):
        array = array.astype(np.int64)
    return torch.from_numpy(array)


def _to_tuples(value: Any) -> Any:
    """Convert the lists in a JSON value to tuples, for use in frozen specifications."""
    return tuple(map(_to_tuples, value)) if isinstance(value, list) else value
