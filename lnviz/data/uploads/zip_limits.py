"""Archives of arrays that another reader takes apart: what they declare is bounded before."""

from __future__ import annotations

from lnviz.data.uploads.archive import Archive
from lnviz.data.uploads.npy import read_header, require_size
from lnviz.data.uploads.requirements import reject_dtype, require_max_bytes, sanitize


def require_numeric_archive(file: str, raw: bytes) -> None:
    """Refuse an archive that is more than arrays of plain numbers, as large as they say.

    Args:
        file: its name, for messages.
        raw: its content.

    Raises:
        UploadError: it is something else, or unpacks to more than is allowed.
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
