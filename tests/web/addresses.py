"""Addresses that the app answers, and what no answer may hold."""

import re

from lnviz.frontend import static_files

PAYLOAD = "/explorables/axes/grid.json"


def asset(name: str) -> str:
    return f"/assets/{static_files.content_hash()}/{name}"


def clean(text: str) -> bool:
    """Whether an answer keeps to itself what the server is made of."""
    return not re.search(r"Traceback|\.py\b|site-packages|/(work|home|root|usr|tmp)/", text)
