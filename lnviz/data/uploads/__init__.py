"""Readers of uploaded files, which treat the content as untrusted.

Nothing is unpickled. Declared sizes are checked against the limits and against the actual bytes
before memory is allocated.
"""

from lnviz.data.uploads.files import ENDINGS, read
from lnviz.data.uploads.inline_table import from_url_value, to_url_value
from lnviz.data.uploads.requirements import MAX_BYTES, MAX_CELLS, DataTable, UploadError

__all__ = [
    "ENDINGS",
    "MAX_BYTES",
    "MAX_CELLS",
    "DataTable",
    "UploadError",
    "from_url_value",
    "read",
    "to_url_value",
]
