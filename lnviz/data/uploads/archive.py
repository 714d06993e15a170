"""Reading of untrusted zip archives such as .npz, within limits on the unpacked size."""

import io
import struct
import zipfile
import zlib
from typing import Final

from lnviz.data.uploads.requirements import UploadError, require_max_members, sanitize

ZIP_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06")  # the second: of an archive without members
SAVE_AGAIN: Final = "Save it again with numpy.savez and upload the new file."
_DAMAGE_ERRORS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


class Archive:
    """An untrusted zip archive in memory.

    Args:
        file: the name of the file, for error messages.
        raw: the content of the file.

    Attributes:
        members: the listed files, without folders.

    Raises:
        UploadError: the archive's directory cannot be read, or lists too many files.
    """

    def __init__(self, file: str, raw: bytes) -> None:
        self._file, begins = file, file[:1].upper() + file[1:]
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(raw))
        except _DAMAGE_ERRORS as error:
            raise UploadError(
                f"{begins} is a damaged or truncated archive of {len(raw):,} bytes: its list of "
                f"arrays cannot be read. {SAVE_AGAIN}"
            ) from error
        # Not is_dir(), which fails on a member without a name.
        listed = self._archive.infolist()
        self.members = [member for member in listed if not member.filename.endswith("/")]
        require_max_members(begins, len(self.members))

    @property
    def size(self) -> int:
        """The total uncompressed size of all members, as declared in the archive's directory."""
        return sum(member.file_size for member in self.members)

    def unpack(self, member: zipfile.ZipInfo, limit: int | None = None) -> bytes:
        """Return a member's uncompressed content, limited to about its declared size by default.

        Args:
            member: the member.
            limit: maximum number of bytes to return.

        Raises:
            UploadError: the member is damaged, encrypted, or compressed with an unsupported method.
        """
        name = f'"{sanitize(member.filename)}" in {self._file}'
        if member.flag_bits & 0x1:
            raise UploadError(f"{name} is encrypted. Save the archive without a password.")
        # Python unpacks other methods in whole blocks, which no size limit holds back.
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UploadError(
                f"{name} is compressed in a way that numpy.savez does not use. {SAVE_AGAIN}"
            )
        try:
            with self._archive.open(member) as stream:
                return stream.read(member.file_size + 1 if limit is None else limit)
        except _DAMAGE_ERRORS as error:
            raise UploadError(f"{name} is damaged or truncated. {SAVE_AGAIN}") from error
