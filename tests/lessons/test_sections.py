"""What shows of a part that is deeper while it is closed."""

import pytest

from lnviz.lessons import LESSONS, ComparisonTable, OptionalSection, sections
from tests.lessons.test_text import QUESTION, read

FIGURE = LESSONS[0].figures[0]
PARTS = (
    "One.\n\n### A part of it",
    FIGURE,
    read(QUESTION),
    ComparisonTable("t", "What.", "which", (), ()),
)


def test_a_row_names_everything_in_it_that_a_link_can_lead_to() -> None:
    deeper = OptionalSection("What follows?", "how-it-goes-on", "So.", 3, "", PARTS)
    html = sections.section_html("axes", deeper)
    holds = f"how-it-goes-on a-part-of-it figure-{FIGURE.name} ask-which table-t"
    assert f'data-holds="{holds}"' in html
    assert '<h3 id="how-it-goes-on">' in html


@pytest.mark.parametrize(("count", "minutes"), [(1, "1 minute"), (2, "2 minutes")])
def test_a_row_says_what_is_found_in_how_many_minutes(count: int, minutes: str) -> None:
    deeper = OptionalSection("*a* < b", "a-b", "*So*.", count, "", ("One.",))
    html = sections.section_html("axes", deeper, "a.png", "<p>In.</p>")
    assert '<img src="a.png" alt=""' in html
    assert '<h3 id="a-b"><em>a</em> &lt; b</h3>' in html
    assert '<span class="finding"><em>So</em>.</span>' in html
    assert f'<span class="minutes">{minutes}</span>\n</summary>\n<p>In.</p></details>' in html
