import pytest
import torch
from torch.nn import functional as F

from lnviz.book import HOME, LESSONS, PAGES, find
from lnviz.book.home import shift
from lnviz.book.previews import described
from lnviz.lessons import Lesson


def test_the_home_page_is_the_first_page_and_at_the_bare_address() -> None:
    assert PAGES[0] is HOME
    assert HOME.address == ""
    assert find("home") is HOME


def test_every_other_page_is_at_its_name() -> None:
    assert all(page.address == page.slug for page in PAGES[1:])


def test_every_page_can_be_reached_from_home() -> None:
    text = "\n".join(part for part in HOME.parts if isinstance(part, str))
    assert all(f"[{page.title}]({page.slug})" in text for page in PAGES[1:])


def test_before_is_the_case_shifted_and_scaled() -> None:
    built = shift.build()
    rest = built.lookup("x", built.at(shift=0.04, scale=1.0)) - 0.04
    moved = built.lookup("x", built.at(shift=-3.0, scale=2.0))
    torch.testing.assert_close(moved, 2 * rest - 3)


def test_after_is_what_pytorch_puts_out_wherever_the_sliders_stand() -> None:
    built = shift.build()
    x, y = built.tensors["x"].values, built.tensors["y"].values
    expected = F.layer_norm(x, x.shape[-1:], eps=shift.EPS)
    torch.testing.assert_close(y, expected, atol=1e-4, rtol=0)


def test_what_comes_out_stands_still_to_the_decimals_that_are_shown() -> None:
    built = shift.build()
    y = built.tensors["y"].values
    assert float((y - y[0, 0]).abs().max()) < 0.005
    shown = built.tensors["mean after"].values, built.tensors["std after"].values
    for values, value in zip(shown, (0, 1), strict=True):
        assert float((values - value).abs().max()) < 0.005


def test_every_dot_stays_on_the_axis() -> None:
    built = shift.build()
    ((chart,), _) = built.views
    low, high = chart.figure.layout.xaxis.range
    for name in ("x", "y"):
        values = built.tensors[name].values
        assert low < float(values.min())
        assert float(values.max()) < high


def test_a_thread_runs_from_each_number_to_what_becomes_of_it() -> None:
    built = shift.build()
    state = built.start()
    threads = built.lookup("threads", state).unflatten(-1, (-1, 3))
    assert torch.equal(threads[:, 0], built.lookup("x", state))
    assert torch.equal(threads[:, 1], built.lookup("y", state))
    assert threads[:, 2].isnan().all()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.slug)
def test_a_page_is_described_in_a_sentence_of_its_own(page: Lesson) -> None:
    said = described(page)
    assert said.endswith(".")
    assert (page.able if page in LESSONS else page.moves) in said
    assert [described(other) for other in PAGES].count(said) == 1


def test_the_code_prints_what_the_figure_shows(capsys: pytest.CaptureFixture[str]) -> None:
    built = shift.build()
    state = built.at(shift=-1.0, scale=0.5)
    exec(built.code_at(state), {})
    printed = capsys.readouterr().out.partition("[")[2].partition("]")[0]
    numbers = torch.tensor([float(number) for number in printed.split(",")])
    torch.testing.assert_close(numbers, built.lookup("y", state), atol=1e-4, rtol=0)
