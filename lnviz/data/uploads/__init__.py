"""Arrays that visitors bring: read without trusting a byte of them.

Nothing is unpickled, and no header is believed: what a file declares is held against the limits
and against the bytes that are there before memory is taken for it.
"""

from lnviz.data.uploads.csv_table import from_url_value, to_url_value
from lnviz.data.uploads.files import read
from lnviz.data.uploads.requirements import MAX_BYTES, MAX_CELLS, DataTable, UploadError

__all__ = [
    "MAX_BYTES",
    "MAX_CELLS",
    "DataTable",
    "UploadError",
    "from_url_value",
    "read",
    "to_url_value",
]
