"""The Python program shown beside a figure; readers can copy it, and it follows the controls.

The program runs unchanged. The value on a marked line, `gain = 1.0  # «gain»`, is replaced by the
position of a control or by a value of the figure. The lines between `# «norm»` and `# «»` are
replaced as a block, for positions that need several lines.
"""

from __future__ import annotations

import re
from pathlib import Path

_LINE = re.compile(
    r"^(?P<before>.*? = )(?P<value>.*?)(?P<mark>  # «(?P<name>[^»]+)»)$", re.MULTILINE
)
_BLOCK = re.compile(r"^# «(?P<name>[^»]+)»\n.*?^# «»$", re.MULTILINE | re.DOTALL)
_MARK = re.compile("«([^»]+)»")


def load_program(module: str, **given: str) -> str:
    """Return the program shown beside a figure, with `«name»` where a control's value goes.

    Args:
        module: The module's `__file__`: the code of `grid.py` is `grid_code.py`.
        given: Values of the figure, as Python source; underscores in names stand for spaces.

    Raises:
        ValueError: No line is marked with the name of a given value.
    """
    figure = Path(module)
    text = figure.with_name(f"{figure.stem}_code.py").read_text(encoding="utf-8")
    values = {name.replace("_", " "): value for name, value in given.items()}
    unmarked = sorted(set(values) - {match["name"] for match in _LINE.finditer(text)})
    if unmarked:
        raise ValueError(f"no line of {figure.stem}_code.py is marked with {unmarked}")
    return _LINE.sub(
        lambda match: match["before"] + values.get(match["name"], f"«{match['name']}»"),
        _BLOCK.sub(r"«\g<name>»", text),
    )


def referenced_controls(code: str) -> set[str]:
    """Return the names of the controls that a figure's program refers to as `«name»`.

    >>> referenced_controls("gain = «gain»")
    {'gain'}
    """
    return set(_MARK.findall(code))
