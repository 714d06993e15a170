"""The command `lnviz run`, which runs the app in one process with `streamlit run`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from streamlit.web import cli

from lnviz.web.app_root import APP_ROOT


def main(argv: Sequence[str]) -> None:
    """Run the app in one process until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(
        prog="lnviz run",
        usage="%(prog)s [-h] [OPTIONS OF STREAMLIT]",
        description="Start the app and print its address. Every option of `streamlit run` works "
        "here, such as --server.port 8502 or --server.address 0.0.0.0; `streamlit run --help` "
        "lists them.",
    )
    _, options = parser.parse_known_args(argv)

    # Imported before the port is taken: a proxy sends requests to any process that listens.
    import lnviz.web.lifespan  # noqa: F401

    cli.main(["run", str(APP_ROOT / "app.py"), *options], prog_name="lnviz")
