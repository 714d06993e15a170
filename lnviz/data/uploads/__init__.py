"""Arrays that visitors bring: read without trusting a byte of them.

Nothing is unpickled, and no header is believed: what a file declares is held against the limits
and against the bytes that are there before memory is taken for it.
"""

from lnviz.data.uploads.csv_table import from_address, to_address
from lnviz.data.uploads.files import read
from lnviz.data.uploads.requirements import MAX_BYTES, MAX_CELLS, Table, UploadError

__all__ = [
    "MAX_BYTES",
    "MAX_CELLS",
    "Table",
    "UploadError",
    "from_address",
    "read",
    "to_address",
]
