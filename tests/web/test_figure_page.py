from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from lnviz.web.figure_page import figure_page

HOSTILE = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]))


class Tags(HTMLParser):
    """The attributes of every tag, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def __getitem__(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def test_the_page_mounts_its_figure_with_its_parameters() -> None:
    tags = Tags(figure_page("Two axes", "grid.json", ("data", "seed"), "../assets/", "../axes"))
    assert tags["div"] == [
        {"id": "explorable", "data-source": "grid.json", "data-parameters": "data seed"}
    ]


def test_the_page_takes_everything_from_the_assets() -> None:
    tags = Tags(figure_page("Two axes", "grid.json", (), "../assets/", "../axes"))
    addresses = [tag["src"] for tag in tags["script"]] + [tag["href"] for tag in tags["link"]]
    assert addresses
    assert all(str(address).startswith("../assets/") for address in addresses)


@given(HOSTILE, HOSTILE)
def test_no_text_becomes_a_tag(title: str, source: str) -> None:
    plain, hostile = (
        figure_page("t", "s", (), "a/", "l"),
        figure_page(title, source, ("<b>",), "a/", source),
    )
    assert [tag for tag, _ in Tags(hostile).found] == [tag for tag, _ in Tags(plain).found]
    assert Tags(hostile)["div"][0]["data-source"] == source
    assert Tags(hostile)["a"][0]["href"] == source
