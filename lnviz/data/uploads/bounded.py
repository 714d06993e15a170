"""Archives of arrays that another reader takes apart: what they declare is bounded before."""

from __future__ import annotations

from lnviz.data.uploads.archive import Archive
from lnviz.data.uploads.npy import read_header, require_size
from lnviz.data.uploads.requirements import MAX_BYTES, UploadError, plain, refuse_kind


def require_plain(file: str, raw: bytes) -> None:
    """Refuse an archive that is more than arrays of plain numbers, as large as they say.

    Args:
        file: its name, for messages.
        raw: its content.

    Raises:
        UploadError: it is something else, or unpacks to more than is allowed.
    """
    archive = Archive(file, raw)
    unpacked = sum(member.file_size for member in archive.members)
    if unpacked > MAX_BYTES:
        raise UploadError(
            f"{file} unpacks to {unpacked:,} bytes, more than the {MAX_BYTES:,} (20 MB) that are "
            "allowed. Save less."
        )
    for member in archive.members:
        subject = f'"{plain(member.filename)}" in {file}'
        content = archive.unpack(member)
        header = read_header(subject, content)
        if header.other:
            refuse_kind(subject, header.other, header.shape)
        require_size(subject, header, len(content))
