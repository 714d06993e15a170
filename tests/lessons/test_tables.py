import pytest

from lnviz.lessons.tables import (
    CellSource,
    ComparisonCell,
    ComparisonRow,
    ComparisonTable,
    Evidence,
    table_html,
)


def test_everything_in_a_table_is_escaped() -> None:
    bad = '<b>"&'
    cell = ComparisonCell(bad, bad, "cited", CellSource(bad, bad))
    written = table_html(
        ComparisonTable(bad, bad, bad, (bad,), (ComparisonRow(bad, (cell,), bad),))
    )
    assert bad not in written
    assert "<b>" not in written
    assert written.count("&lt;b&gt;&quot;&amp;") == 11


def test_a_row_says_once_how_all_of_it_is_known_and_nothing_of_what_is_measured_here() -> None:
    source, other = CellSource("whose", "https://a"), CellSource("whose", "https://b")
    cited = ComparisonCell("yes", "one#figure-a", "cited", source)

    def said(*cells: ComparisonCell) -> int:
        columns = tuple(f"c{n}" for n in range(len(cells)))
        return table_html(
            ComparisonTable("t", "T.", "h", columns, (ComparisonRow("r", cells),))
        ).count("<small>cited: ")

    assert said(cited, cited, cited) == 1
    assert said(cited, ComparisonCell("yes", "one#figure-a", "cited", other)) == 2
    measured = ComparisonCell("yes", "one#figure-a", "measured here")
    assert said(cited, measured) == 1
    assert "<small>" not in table_html(
        ComparisonTable("t", "T.", "h", ("c",), (ComparisonRow("r", (measured,)),))
    )


def test_every_address_of_a_table_goes_through_the_page_it_stands_on() -> None:
    cell = ComparisonCell("yes", "one#figure-a", "cited", CellSource("whose", "two#figure-b"))
    written = table_html(
        ComparisonTable("t", "T.", "h", ("c",), (ComparisonRow("r", (cell,)),)), lambda a: f"../{a}"
    )
    assert 'href="../one#figure-a"' in written
    assert 'href="../two#figure-b"' in written


@pytest.mark.parametrize(
    ("known", "source"), [("cited", None), ("measured here", CellSource("whose", "https://a"))]
)
def test_a_cell_has_a_source_if_it_is_cited_and_only_then(
    known: Evidence, source: CellSource | None
) -> None:
    with pytest.raises(ValueError, match=r"^A cell has a source if it is cited, and only then; "):
        ComparisonCell("yes", "one#figure-a", known, source)


def test_every_column_has_a_cell_in_every_row() -> None:
    message = r"^Table 't' has 1 columns, got 0 cells in row 'r'. Give every column one.$"
    with pytest.raises(ValueError, match=message):
        ComparisonTable("t", "T.", "h", ("c",), (ComparisonRow("r", ()),))
