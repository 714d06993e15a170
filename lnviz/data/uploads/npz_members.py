"""Reader of selected arrays in an uploaded .npz file."""

from collections.abc import Sequence
from typing import Any, Final

import numpy.typing as npt

from lnviz.data.uploads.archive import ZIP_STARTS, Archive
from lnviz.data.uploads.npy import MAX_HEADER_BYTES, read_header, read_values, require_size
from lnviz.data.uploads.requirements import UploadError, require_max_bytes

FILE: Final = "The file"


class NpzMembers:
    """Arrays with given names in an uploaded `.npz` file; other arrays are ignored.

    Args:
        raw: the content of the file.
        names: the names of the arrays.
        layout: a description of the expected file, for error messages.

    Attributes:
        headers: the header of each array, read before its values.

    Raises:
        UploadError: the file is not a .npz file, or an array is missing.
    """

    def __init__(self, raw: bytes, names: Sequence[str], layout: str) -> None:
        if not raw:
            raise UploadError(f"{FILE} is empty (0 bytes). {layout}")
        require_max_bytes(f"{FILE} has", len(raw), "Save it with numpy.savez_compressed.")
        if not raw.startswith(ZIP_STARTS):
            raise UploadError(f"{FILE} does not begin like a .npz file. {layout}")
        self._archive = Archive(FILE.lower(), raw)
        listed = {member.filename: member for member in self._archive.members}
        missing = [name for name in names if f"{name}.npy" not in listed]
        if missing:
            raise UploadError(f'{FILE} holds no array "{missing[0]}". {layout}')
        self._members = {name: listed[f"{name}.npy"] for name in names}
        self.headers = {
            name: read_header(quote_member(name), self._archive.unpack(member, MAX_HEADER_BYTES))
            for name, member in self._members.items()
        }

    def require_sizes(self) -> None:
        """Raise an error if an array's size in bytes does not match its header."""
        for name, header in self.headers.items():
            require_size(quote_member(name), header, self._members[name].file_size)

    def values(self, name: str) -> npt.NDArray[Any]:
        """Return the values of the named array, after its header has been checked."""
        content = self._archive.unpack(self._members[name])
        return read_values(quote_member(name), self.headers[name], content)


def quote_member(name: str) -> str:
    """Format an array's name for error messages: `"name" in the file`."""
    return f'"{name}" in the file'
