import io
import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from lnviz.data.uploads import MAX_BYTES
from lnviz.lessons.inputs import own

MAIN = Path(__file__).parents[2] / "lnviz" / "web" / "main.py"
GRID = b"1,2\n3,4\n5,6\n"
PATIENCE = 600  # seconds: not a limit that a test is about


@pytest.fixture
def app() -> AppTest:
    app = AppTest.from_file(str(MAIN), default_timeout=PATIENCE).run()
    return app.switch_page("../../pages/axes.py").run()


def sent(app: AppTest) -> dict[str, Any] | None:
    """The parameters that the page sets on its figure."""
    (figure,) = app.get("bidi_component")
    return json.loads(figure.proto.json)["set"]


def drop(app: AppTest, name: str, content: bytes) -> dict[str, Any] | None:
    app.file_uploader[0].set_value((name, content, "application/octet-stream")).run()
    assert not app.exception
    return sent(app)


def array(parameters: dict[str, Any] | None) -> torch.Tensor:
    assert parameters is not None
    return own(parameters["data"]).values.cpu()


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def test_before_an_upload_the_page_sets_nothing(app: AppTest) -> None:
    assert sent(app) is None
    assert not app.error


def test_a_file_becomes_the_data_of_the_figure(app: AppTest) -> None:
    parameters = drop(app, "grid.csv", GRID)
    assert parameters == {"data": parameters["data"], "case": "1", "feature": "1"}
    assert torch.equal(array(parameters), torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


def test_a_file_is_given_to_the_figure_once(app: AppTest) -> None:
    drop(app, "grid.csv", GRID)
    app.run()
    assert sent(app) is None


def test_a_request_with_a_file_of_the_largest_size_is_not_too_large(app: AppTest) -> None:
    settings = tomllib.loads((MAIN.parents[2] / ".streamlit" / "config.toml").read_text())
    assert app.file_uploader[0].proto.max_upload_size_mb * 2**20 == MAX_BYTES
    assert settings["server"]["maxUploadSize"] * 2**20 > MAX_BYTES


def test_a_second_file_replaces_the_first(app: AppTest) -> None:
    first, second = drop(app, "a.csv", GRID), drop(app, "b.csv", b"7,8\n9,9\n")
    assert first["data"] != second["data"]
    assert array(second)[0, 0] == 7


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("grid.csv", b"1,2\n3\n"),
        ("grid.csv", b""),
        ("grid.pt", b"anything"),
        ("grid.npy", b"\x93NUMPY"),
    ],
)
def test_a_file_that_cannot_be_used_gets_a_sentence_and_changes_nothing(
    app: AppTest, name: str, content: bytes
) -> None:
    assert drop(app, name, content) is None
    (problem,) = app.error
    assert name in problem.value
    assert problem.value.endswith(".")
    assert "Traceback" not in problem.value


def test_a_problem_goes_when_a_good_file_comes(app: AppTest) -> None:
    drop(app, "bad.csv", b"1,2\n3\n")
    assert drop(app, "good.csv", GRID) is not None
    assert not app.error


def test_taking_the_file_away_takes_its_problem_away(app: AppTest) -> None:
    drop(app, "bad.csv", b"1,2\n3\n")
    app.file_uploader[0].set_value(None).run()
    assert not app.error
    assert not app.exception


def test_one_of_several_arrays_can_be_chosen(app: AppTest) -> None:
    first, second = np.eye(3, dtype="f4"), np.full((2, 4), 7, dtype="f4")
    shown = drop(app, "two.npz", npz(first=first, second=second))
    assert app.selectbox[0].options == ["first", "second"]
    assert torch.equal(array(shown), torch.from_numpy(first))
    app.selectbox[0].set_value("second").run()
    assert torch.equal(array(sent(app)), torch.from_numpy(second))


def test_what_is_left_out_of_a_file_is_said(app: AppTest) -> None:
    drop(app, "two.npz", npz(good=np.eye(3), bad=np.array([[1.0, np.nan], [0.0, 1.0]])))
    assert [caption.value for caption in app.caption if "bad" in caption.value]


def test_what_was_read_is_named_with_its_size(app: AppTest) -> None:
    drop(app, "grid.csv", GRID)
    assert "Read: grid, 3 cases of 2 features." in [caption.value for caption in app.caption]


def test_each_lesson_is_given_the_file_of_its_own(app: AppTest) -> None:
    first = drop(app, "grid.csv", GRID)
    app.switch_page("../../pages/invariance.py").run()
    given = [json.loads(figure.proto.json)["set"] for figure in app.get("bidi_component")]
    assert first is not None
    assert {"data": first["data"]} in given
