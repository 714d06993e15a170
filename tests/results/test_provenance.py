import pytest

from lnviz.results.provenance import progress_bar


def test_where_there_is_no_terminal_a_line_is_written_when_it_is_full(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = progress_bar(800)
    for step in range(1, 801):
        report("LayerNorm", step)
    assert capsys.readouterr().err.count("LayerNorm") == 1
