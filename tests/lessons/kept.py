"""Tables that the server keeps, however small."""

import secrets

from lnviz.data.uploads import DataTable
from lnviz.database import uploads
from lnviz.database.session import get_database
from lnviz.lessons.data_parameters import STORED_PREFIX


def kept(table: DataTable) -> str:
    """The `data` parameter that shows a table, of a visitor who has no other."""
    return STORED_PREFIX + uploads.put_upload(
        get_database(), uploads.TABLES, table.to_bytes(), secrets.token_hex(8), "here"
    )
