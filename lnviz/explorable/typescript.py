"""Generator of the TypeScript interfaces in `payload.d.ts` from the dataclasses of views.

`python -m lnviz.explorable.typescript` (`make contract`) updates the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from inspect import cleandoc
from pathlib import Path
from typing import Any, get_args, get_type_hints

from lnviz.explorable.edits import Edits
from lnviz.explorable.schema import Serializable
from lnviz.explorable.views import View

FILE = Path(str(files("lnviz.frontend") / "engine" / "payload.d.ts"))
_ARGUMENT = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
_SECTION = re.compile(r"(?<=`make contract`\.\n\n).*?(?=\n// Until here\.)", re.DOTALL)


def render_interfaces() -> str:
    """Return the TypeScript interfaces of all views and of the types they contain."""
    union = " | ".join(view.__name__ for view in get_args(View))
    parts = dict.fromkeys(_referenced_types(View | Edits))
    return "\n".join([f"export type View = {union};\n", *map(_interface, parts)])


def update_interfaces(text: str) -> str:
    """Return the text of `payload.d.ts` with its generated section brought up to date."""
    return _SECTION.sub(lambda _: render_interfaces(), text)


def _referenced_types(hint: Any) -> Iterator[type[Serializable]]:
    """Yield the serializable classes in a type annotation, each followed by its fields' classes."""
    if isinstance(hint, type) and issubclass(hint, Serializable):
        yield hint
        hints = get_type_hints(hint, include_extras=True)
        for name, _, _ in hint.wire_fields():
            yield from _referenced_types(hints[name])
    for argument in get_args(hint):
        yield from _referenced_types(argument)


def _interface(part: type[Serializable]) -> str:
    text = cleandoc(part.__doc__ or "")
    arguments = dict(_ARGUMENT.findall(text))
    lines = [f'  kind: "{part.kind}";'] if part.kind else []
    for name, key, kind in part.wire_fields():
        if name in arguments:
            lines.append(f"  /** {_first_sentence(arguments[name])} */")
        lines.append(f"  {key}: {kind.type};")
    body = "\n".join(lines)
    return f"/** {_first_sentence(text)} */\nexport interface {part.__name__} {{\n{body}\n}}\n"


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=\.)\s", " ".join(text.split()))[0]


if __name__ == "__main__":
    FILE.write_text(update_interfaces(FILE.read_text(encoding="utf-8")), encoding="utf-8")
