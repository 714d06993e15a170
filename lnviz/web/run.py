"""The command `lnviz run`: the app in one process, as `streamlit run` starts it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from streamlit.web import cli

from lnviz.web.app_root import APP_ROOT


def main(words: Sequence[str]) -> None:
    """Serve until a signal comes."""
    parser = argparse.ArgumentParser(
        prog="lnviz run",
        usage="%(prog)s [-h] [OPTIONS OF STREAMLIT]",
        description="Starts the app and prints its address. Takes the options of `streamlit run`, "
        "such as --server.port 8502 or --server.address 0.0.0.0; `streamlit run --help` lists "
        "them.",
    )
    _, options = parser.parse_known_args(words)

    # Before the port is taken: a proxy sends people to a process that listens, ready or not.
    import lnviz.web.lifespan  # noqa: F401

    cli.main(["run", str(APP_ROOT / "app.py"), *options], prog_name="lnviz")
