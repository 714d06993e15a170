"""Tables that the server keeps, however small."""

import secrets

from lnviz.data.uploads import DataTable
from lnviz.database import uploads
from lnviz.lessons.data_parameters import KEPT
from lnviz.topics.lab import keeping


def kept(table: DataTable) -> str:
    """The `data` parameter that shows a table, of a visitor who has no other."""
    return KEPT + uploads.put(
        keeping.store(), uploads.TABLES, table.to_bytes(), secrets.token_hex(8), "here"
    )
