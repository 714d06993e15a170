"""Checks of the declared sizes in a zip archive before another library reads it."""

from __future__ import annotations

from lnviz.data.uploads.archive import Archive
from lnviz.data.uploads.npy import read_header, require_size
from lnviz.data.uploads.requirements import reject_dtype, require_max_bytes, sanitize


def require_numeric_archive(file: str, raw: bytes) -> None:
    """Raise an error unless a zip archive holds only numeric arrays that match their headers.

    Args:
        file: the archive's name, for error messages.
        raw: the archive's content.

    Raises:
        UploadError: the archive has other members, or its unpacked size exceeds the limit.
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
