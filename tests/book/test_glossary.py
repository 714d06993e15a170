import re

from lnviz.book import PAGES
from lnviz.book.glossary import entries


def test_a_word_is_explained_in_plain_text() -> None:
    found = entries()
    assert found["centering"] == "Subtracting the mean. RMSNorm does not do it."
    assert not any(re.search(r"\]\(|\$|\\", text) for text in found.values())
    assert all(text.endswith(".") for text in found.values())


def test_links_to_words_lead_to_what_the_glossary_has() -> None:
    said = "".join(part for page in PAGES for part in page.parts if isinstance(part, str))
    words = set(re.findall(r"\]\(reference#([\w-]+)\)", said))
    assert len(words & entries().keys()) >= len(words) - 6
