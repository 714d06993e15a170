"""The topics of Python 3.11's `help()`: the text on which the lessons' language models train.

They are stored in a file beside this module: their text differs between versions of Python, and all
results of the character models depend on it. `python -m lnviz.data.python_topics` writes the file
from the running Python.

The text is part of Python's documentation: copyright by the Python Software Foundation, under
the PSF License Agreement, version 2.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("python-topics.json.gz")


@cache
def python_topics() -> dict[str, str]:
    """Return the text of each `help()` topic, keyed by name in alphabetical order.

    >>> python_topics()["for"].splitlines()[0]
    'The "for" statement'
    """
    read: dict[str, str] = json.loads(gzip.decompress(FILE.read_bytes()))
    return read


def write() -> None:
    """Write the `help()` topics of the running Python version to the data file."""
    from pydoc_data.topics import topics

    text = json.dumps(dict(sorted(topics.items())), ensure_ascii=False, separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    write()
