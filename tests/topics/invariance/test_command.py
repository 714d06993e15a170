import json
import subprocess
import sys
from pathlib import Path

import pytest

from lnviz.norms import CATALOGUE
from lnviz.topics.invariance import TABLE_1, TRANSFORMATIONS
from lnviz.topics.invariance.__main__ import main

ROOT = Path(__file__).parents[3]


def table(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, float]]:
    main(["--json", *arguments])
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_the_module_prints_json_and_warns_of_nothing() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "lnviz.topics.invariance", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    printed = json.loads(run.stdout)
    assert list(printed) == [norm for norm in CATALOGUE if norm != "instance"]
    for row in printed.values():
        assert list(row) == list(TRANSFORMATIONS)
        assert all(isinstance(change, float) for change in row.values())
    for norm, stated in TABLE_1.items():
        for transformation, invariant in stated.items():
            change = printed[norm][transformation]
            assert change < 1e-9 if invariant else change > 1e-2


def test_an_epsilon_shows_in_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    exact, broken = table(capsys), table(capsys, "--eps", "1e-5")
    assert exact["layer"]["case_rescale"] < 1e-9
    assert broken["layer"]["case_rescale"] > 0.3


def test_the_precision_shows_in_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    change = table(capsys, "--dtype", "float32")["layer"]["weight_matrix_recenter"]
    assert 1e-8 < change < 1e-3


def test_several_places_add_instancenorm(capsys: pytest.CaptureFixture[str]) -> None:
    printed = table(capsys, "--places", "3", "--activation", "tanh", "--seed", "7")
    assert list(printed) == list(CATALOGUE)


def test_the_text_holds_the_table_and_what_is_stated(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    out = capsys.readouterr().out
    layer = next(line for line in out.splitlines() if line.startswith("LayerNorm"))
    cells = [layer[start : start + 13].strip() for start in range(13, 91, 13)]
    assert [cell.endswith("=") for cell in cells] == list(TABLE_1["layer"].values())
    assert "!" not in "".join(cells)
    assert "Ba, Kiros and Hinton 2016, table 1" in out
    assert "InstanceNorm averages over an example’s positions" in out
    assert "claimed to be" not in out
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.slow
def test_at_an_epsilon_the_text_says_from_which_scale_on_a_statement_fails(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["--eps", "1e-5"])
    lines = capsys.readouterr().out
    flowing = " ".join(lines.split())
    assert (
        "LayerNorm, one case re-scaled: claimed to be invariant; the output changes by more than 1%"
        in (flowing)
    )
    assert " or less." in flowing
    layer = next(line for line in lines.splitlines() if line.startswith("LayerNorm"))
    assert layer.count("!") == 3


@pytest.mark.slow
def test_with_places_the_text_says_that_the_papers_speak_of_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["--places", "2"])
    flowing = " ".join(capsys.readouterr().out.split())
    assert "The papers speak of fully connected layers" in flowing
    assert "LayerNorm, weight matrix re-centered: claimed to be invariant" in flowing


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--eps", "-1"], "eps must be 0 or greater, but got -1.0"),
        (["--places", "0"], "places must be 1 or more, got 0"),
        (["--dtype", "int8"], "invalid choice: 'int8'"),
    ],
)
def test_bad_options_end_with_a_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
