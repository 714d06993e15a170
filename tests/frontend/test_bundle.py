from pathlib import Path

import pytest

from lnviz.frontend import bundle, static_files

SCRIPTS = {
    path.relative_to(static_files.FOLDER).as_posix(): path
    for path in static_files.FOLDER.rglob("*.js")
    if not path.name.endswith(".min.js")
}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('import x from "./b.js";\n', "import x from"),
        ("export default 1;\n", "export default"),
        ('import { a } from "./a.js";\n', "a.js -> a.js"),
    ],
)
def test_a_module_of_another_kind_cannot_be_bundled(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.js").write_text(text)
    (tmp_path / "b.js").write_text("")
    with pytest.raises(ValueError, match=said):
        bundle.bundle_script(tmp_path / "a.js")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("// a\na(); // b\n", "a(); // b\n"),
        ("/** a\n * b */\na();\n", "a();\n"),
        ("  /** @type {A} */ (a).b();\n/** c */\n", "  /** @type {A} */ (a).b();\n"),
        ('a("// b");\n', 'a("// b");\n'),
    ],
)
def test_comments_with_lines_of_their_own_are_left_out(text: str, left: str) -> None:
    assert bundle.without_comments(text) == left


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_no_line_of_a_template_looks_like_a_comment(name: str) -> None:
    text = SCRIPTS[name].read_text(encoding="utf-8")
    for match in bundle.COMMENT.finditer(text):
        before = bundle.without_comments(text[: match.start()])
        assert before.count("`") % 2 == 0, match[0]
