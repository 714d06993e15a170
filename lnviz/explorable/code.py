"""Code for readers: Python files that stand beside their figure and follow its state.

A file runs as it stands. The value on a marked line, `gain = 1.0  # «gain»`, is replaced by what
the mark names: a control's position, or what the figure gives. So are lines between `# «norm»` and
`# «»`, where a position stands for several.
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
    """Return the code beside a figure's module, `«name»` where a control's position goes.

    Args:
        module: The module's `__file__`: the code of `grid.py` is `grid_code.py`.
        given: What the figure knows when it is built, as Python; underscores stand for blanks.

    Raises:
        ValueError: Something is given that no line is marked with.
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
    """Return the names of the controls whose positions go into the code.

    >>> referenced_controls("gain = «gain»")
    {'gain'}
    """
    return set(_MARK.findall(code))
