import pytest

from lnviz.lessons.tables import Cell, Known, Row, Source, Table, html


def test_everything_in_a_table_is_escaped() -> None:
    bad = '<b>"&'
    cell = Cell(bad, bad, "cited", Source(bad, bad))
    written = html(Table(bad, bad, bad, (bad,), (Row(bad, (cell,), bad),)))
    assert bad not in written
    assert "<b>" not in written
    assert written.count("&lt;b&gt;&quot;&amp;") == 11


def test_a_row_says_once_how_all_of_it_is_known_and_nothing_of_what_is_measured_here() -> None:
    source, other = Source("whose", "https://a"), Source("whose", "https://b")
    cited = Cell("yes", "one#figure-a", "cited", source)

    def said(*cells: Cell) -> int:
        columns = tuple(f"c{n}" for n in range(len(cells)))
        return html(Table("t", "T.", "h", columns, (Row("r", cells),))).count("<small>cited: ")

    assert said(cited, cited, cited) == 1
    assert said(cited, Cell("yes", "one#figure-a", "cited", other)) == 2
    measured = Cell("yes", "one#figure-a", "measured here")
    assert said(cited, measured) == 1
    assert "<small>" not in html(Table("t", "T.", "h", ("c",), (Row("r", (measured,)),)))


def test_every_address_of_a_table_goes_through_the_page_it_stands_on() -> None:
    cell = Cell("yes", "one#figure-a", "cited", Source("whose", "two#figure-b"))
    written = html(Table("t", "T.", "h", ("c",), (Row("r", (cell,)),)), lambda a: f"../{a}")
    assert 'href="../one#figure-a"' in written
    assert 'href="../two#figure-b"' in written


@pytest.mark.parametrize(
    ("known", "source"), [("cited", None), ("measured here", Source("whose", "https://a"))]
)
def test_a_cell_has_a_source_if_it_is_cited_and_only_then(
    known: Known, source: Source | None
) -> None:
    with pytest.raises(ValueError, match=r"^A cell has a source if it is cited, and only then; "):
        Cell("yes", "one#figure-a", known, source)


def test_every_column_has_a_cell_in_every_row() -> None:
    message = r"^Table 't' has 1 columns, got 0 cells in row 'r'. Give every column one.$"
    with pytest.raises(ValueError, match=message):
        Table("t", "T.", "h", ("c",), (Row("r", ()),))
