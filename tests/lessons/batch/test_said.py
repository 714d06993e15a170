"""What the lesson's text says besides its figures."""

from lnviz.topics.batch.padding import text


def test_how_long_the_longest_sequence_is_changes_no_phrase() -> None:
    assert text(10).phrases == text(64).phrases
