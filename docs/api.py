"""The program behind `make docs`: the public API as static pages, from its docstrings."""

import re
import sys
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pdoc
from math_core import LatexToMathML
from pygments.formatters import HtmlFormatter

import lnviz
from lnviz.frontend.theme import FONT, TOKENS
from lnviz.web.font import source_sans

ROOT = Path(__file__).parents[1]
MODULES = (
    "lnviz",
    r"!lnviz\.",  # its other modules, but for the following ones
    "lnviz.norms",
    r"!lnviz\.norms\.",
    "lnviz.testing",
    "lnviz.diagnostics",
    r"!lnviz\.diagnostics\.",
    "lnviz.explorable",
    r"!lnviz\.explorable\.",
    "lnviz.lessons.charts",
    "lnviz.lessons.chart_axes",
    "lnviz.training",
    r"!lnviz\.training\.",
)
"""What docs/python.md tells of, as pdoc reads it."""

COLORS = {
    "pdoc-background": "page",
    "text": "ink",
    "muted": "soft",
    "link": "accent",
    "link-hover": "ink",
    "code": "panel",
    "active": "line",
    "accent": "panel",
    "accent2": "line",
    "nav-hover": "panel",
    "name": "accent",
    "def": "gradient",
    "annotation": "soft",
}
"""The theme's color of each of pdoc's."""

CODE_STYLES = {"light": "friendly", "dark": "github-dark"}
"""The colors of programs in each look, by the names that Pygments gives them."""

FONT_FILE = "source-sans.woff2"
FORMULA = re.compile(r"(\${1,2})([^$<]+)\1")
PAGE = """\
{% extends "default/module.html.jinja2" %}
{% block nav_submodules %}{% endblock %}
"""
"""A page without its list of modules: most of them are not shown, and the heading would stay."""


def main(folder: Path) -> None:
    """Write the pages into a folder."""
    # pdoc sees what a module has, and these are imported when they are used.
    for name in lnviz.__all__:
        setattr(lnviz, name, getattr(lnviz, name))
    icon = (ROOT / "lnviz" / "frontend" / "page" / "icon.svg").read_text("utf-8")
    with TemporaryDirectory() as templates:
        files = {
            "theme.css": style_sheet(),
            "syntax-highlighting.css": program_colors(),
            "module.html.jinja2": PAGE,
        }
        for name, text in files.items():
            (Path(templates) / name).write_text(text, encoding="utf-8")
        pdoc.render.configure(
            docformat="google",
            favicon=f"data:image/svg+xml,{quote(icon)}",
            footer_text=f"lnviz {lnviz.__version__}",
            show_source=False,
            template_directory=Path(templates),
        )
        pdoc.pdoc(*MODULES, output_directory=folder)
    for page in folder.rglob("*.html"):
        head, main, rest = page.read_text("utf-8").partition("<main")
        body, end, scripts = rest.partition("</main>")
        page.write_text("".join((head, main, with_formulas(body), end, scripts)), encoding="utf-8")
    (folder / FONT_FILE).write_bytes(source_sans())


def with_formulas(html: str) -> str:
    """Return HTML with its formulas, which are between dollar signs, as MathML."""
    convert = LatexToMathML().convert_with_local_state
    return FORMULA.sub(
        lambda found: convert(unescape(found[2]).strip(), displaystyle=found[1] == "$$"), html
    )


def style_sheet() -> str:
    """Return the book's colors and font, by the names that pdoc gives them."""
    light, dark = (
        "".join(f"--{name}: {getattr(TOKENS[token], look)};" for name, token in COLORS.items())
        for look in ("light", "dark")
    )
    up = "{{ '../' * (module.fullname.count('.') if module else 0) }}"  # filled in by pdoc
    return f"""
:root {{ color-scheme: light dark; {light} }}
@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}
@font-face {{ font-family: "Source Sans"; src: url("{up}{FONT_FILE}"); font-weight: 200 900; }}
main, nav {{ font-family: {FONT}; }}
"""


def program_colors() -> str:
    """Return the colors of programs as CSS, light and dark."""
    light, dark = (
        HtmlFormatter(style=style).get_style_defs(".pdoc-code") for style in CODE_STYLES.values()
    )
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
