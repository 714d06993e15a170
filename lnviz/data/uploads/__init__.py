"""Arrays that visitors bring: read without trusting a byte of them, kept in bounded memory.

Nothing is unpickled, and no header is believed: what a file declares is held against the limits
and against the bytes that are there before memory is taken for it.
"""

from lnviz.data.uploads.files import Upload, parse, read
from lnviz.data.uploads.grid import MAX_BYTES, MAX_CELLS, UploadError, plain
from lnviz.data.uploads.store import Store

__all__ = ["MAX_BYTES", "MAX_CELLS", "Store", "Upload", "UploadError", "parse", "plain", "read"]
