"""The command `lnviz secret`, which rotates the secret key that signs client ids."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from lnviz.database import signing_keys
from lnviz.database.connection import URL_VARIABLE, Database, database_url
from lnviz.database.errors import StoreError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command `lnviz secret` with the given arguments, or with this process's arguments."""
    parser = argparse.ArgumentParser(
        prog="lnviz secret",
        description="The server signs visitors' cookies with a secret: LNVIZ_SECRET if it is set, "
        "otherwise one stored in the database. `rotate` stores a new secret, which running "
        "servers pick up within a minute. Cookies signed with the previous secret stay valid "
        "until the next rotation, so if somebody else has read the secret, rotate twice.",
    )
    # Without the default in its help: it may contain a password.
    help_text = (
        f"database URL (default: {URL_VARIABLE}, or a file in your user directory if that is not "
        "set)"
    )
    parser.add_argument("--database", default=database_url(), help=help_text)
    parser.add_argument("what", choices=("rotate",))
    options = parser.parse_args(arguments)
    try:
        database = Database(options.database)
        signing_keys.rotate(database)
        database.close()
    except StoreError as error:
        parser.error(str(error))
    print("The server now signs cookies with a new secret.")
