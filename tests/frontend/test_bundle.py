from pathlib import Path

import pytest

from lnviz.frontend import bundle


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
