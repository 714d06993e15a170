"""Limits for archives that another library reads: their declared sizes are checked first."""

from __future__ import annotations

from lnviz.data.uploads.archive import Archive
from lnviz.data.uploads.npy import read_header, require_size
from lnviz.data.uploads.requirements import reject_dtype, require_max_bytes, sanitize


def require_numeric_archive(file: str, raw: bytes) -> None:
    """Raise unless an archive has only numeric arrays of the sizes that their headers declare.

    Args:
        file: its name, for error messages.
        raw: its content.

    Raises:
        UploadError: it has other members, or unpacks to more than the limit.
    """
    archive = Archive(file, raw)
    require_max_bytes(f"{file} unpacks to", archive.size, "Save less.")
    for member in archive.members:
        subject = f'"{sanitize(member.filename)}" in {file}'
        content = archive.unpack(member)
        header = read_header(subject, content)
        if header.unsupported_kind:
            reject_dtype(subject, header.unsupported_kind, header.shape)
        require_size(subject, header, len(content))
