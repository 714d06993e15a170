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
        description="Visitors are known by names that the server has signed, unless LNVIZ_SECRET "
        "says with what, with a secret in the database. `rotate` makes another one, which servers "
        "take within a minute. Names of the one before hold until the next rotation: rotate twice "
        "where somebody else has read the secret.",
    )
    # Without the default in its help: it may contain a password.
    help_text = (
        f"the database's address, if not what {URL_VARIABLE} names or else a file of this user"
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
    print("Names are signed with a new secret.")
