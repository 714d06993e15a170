import json
import re
import shutil
from pathlib import Path

import pytest

from lnviz import book
from lnviz.__main__ import main
from lnviz.book import HOME, PAGES, find_figure, previews
from lnviz.book.export import ExportError, export, page, problems
from lnviz.book.export.inventory import MAX_EXPORTED_VALUES, FigureInventory
from lnviz.book.export.verify import broken_links
from lnviz.book.previews import thumbnails
from lnviz.book.sources import THIRD_PARTY
from lnviz.explorable import EnumParameter, IntParameter, ParameterError
from lnviz.frontend import static_files
from lnviz.lessons import LESSONS, prose
from lnviz.lessons.text import Details
from tests.book.exporting import PART, exported, lacking

pytestmark = pytest.mark.slow

STOCKS = [FigureInventory(each.slug, figure) for each in PAGES for figure in each.figures]
BROUGHT = {"export/export.js", "source-sans.woff2", *static_files.file_names()}
OFTEN = {THIRD_PARTY.name, *(f"assets/{name}" for name in BROUGHT)}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    exported(folder, site="https://example.org/norms")
    return folder


@pytest.fixture(scope="module")
def whole() -> dict[str, str]:
    """All pages of the book by their files, as they are written."""
    pages = {page.file_name(each): page.page_html(each, PAGES, {}, "") for each in PAGES}
    pages |= {f"present/{page.file_name(each)}": page.deck_html(each, {}) for each in LESSONS}
    pages |= {
        page.figure_file_name(each, figure): page.figure_html(each, figure, {})
        for each in PAGES
        for figure in each.figures
    }
    return pages | {name: text for name, text in page.plan_files({}, "") if name.endswith(".html")}


def stock(slug: str, name: str) -> FigureInventory:
    figure = find_figure(slug, name)
    assert figure is not None
    return FigureInventory(slug, figure)


# What is written


@pytest.mark.slow
def test_an_export_lacks_nothing(site: Path) -> None:
    assert lacking(site) == []


def test_the_licenses_of_what_others_have_made_are_written(site: Path) -> None:
    assert (site / THIRD_PARTY.name).read_bytes() == THIRD_PARTY.read_bytes()


def test_there_is_a_file_for_each_page(site: Path) -> None:
    assert {file.name for file in site.glob("*.html")} == {f"{each.slug}.html" for each in PART}


def test_each_figure_has_its_own_page_at_its_address_in_the_app(site: Path) -> None:
    places = {f"{each.slug}/{figure.name}.html" for each in PART for figure in each.figures}
    found = {file.relative_to(site / "explorables") for file in site.glob("explorables/*/*.html")}
    assert {file.as_posix() for file in found} == places
    text = (site / "explorables/axes/grid.html").read_text("utf-8")
    assert 'href="../../axes.html#figure-grid" target="_top"' in text


def test_a_folder_shows_the_home_page_by_itself() -> None:
    assert page.file_name(HOME) == "index.html"


def test_every_page_can_be_reached_from_every_other(site: Path) -> None:
    for file in site.glob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert all(f'href="{each.slug}.html"' in text for each in PART)


def test_at_an_address_there_is_a_site_map(site: Path, tmp_path: Path) -> None:
    text = (site / "sitemap.xml").read_text(encoding="utf-8")
    assert "<loc>https://example.org/norms/axes.html</loc>" in text
    export(tmp_path, [], font=b"")
    assert not (tmp_path / "sitemap.xml").exists()


def test_pages_name_no_other_host_but_in_links(site: Path) -> None:
    for file in site.glob("*.html"):
        loaded = re.findall(r'<(?:script|img|iframe|link rel="stylesheet")[^>]*', file.read_text())
        assert not [each for each in loaded if "//" in each]


@pytest.mark.slow
def test_two_exports_are_the_same(site: Path, tmp_path: Path) -> None:
    exported(tmp_path, site="https://example.org/norms")
    assert (tmp_path / "manifest.json").read_text() == (site / "manifest.json").read_text()


# Where it is written


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    with pytest.raises(ExportError, match="is not empty"):
        export(tmp_path, PART, font=b"")


def test_a_file_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    with pytest.raises(ExportError, match="is a file, not a folder"):
        export(tmp_path / "there", PART, font=b"")


def test_a_place_that_cannot_be_written_to_is_refused() -> None:
    with pytest.raises(ExportError, match="cannot be written to"):
        export(Path("/proc/self/site"), PART, font=b"")


# What is missing


@pytest.fixture
def copy(site: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(site, tmp_path / "copy"))


@pytest.mark.parametrize("name", ["axes.html", "assets/export/export.js", "figures/axes/grid.js"])
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    assert lacking(copy) == [f"{name} is missing."]


def test_a_changed_file_is_named(copy: Path) -> None:
    with (copy / "cost.html").open("a") as file:
        file.write("more")
    assert "cost.html has changed since the export." in problems(copy, PART)


def test_a_folder_without_an_export_is_none(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, PART)
    assert "manifest.json is missing" in problem


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": 1}', "\0"])
def test_a_broken_list_of_files_is_said_to_be_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    (problem,) = problems(tmp_path, PART)
    assert "manifest.json cannot be read" in problem


def test_a_link_that_leads_nowhere_is_named() -> None:
    text = '<a href="b.html">b</a><a href="a.html#x">x</a><a href="a.html#y">y</a><p id="x">'
    assert broken_links({"a.html": text}, {"a.html"}) == [
        "a.html links to b.html, which is not part of the book.",
        "a.html links to a.html#y, which does not exist.",
    ]


# The whole book


def test_all_links_of_the_book_lead_somewhere(whole: dict[str, str]) -> None:
    payloads = {stored.path for stock in STOCKS for stored in stock.payloads}
    pictures = {
        previews.thumbnail_url(each, figure) for each in PAGES for figure in thumbnails(each)
    }
    plans = {name for name, _ in page.plan_files({}, "")}
    around = {*plans, *payloads, *pictures, *OFTEN, THIRD_PARTY.name}
    assert broken_links(whole, {*whole, *around}) == []


def test_no_formula_is_left_as_it_was_typed(whole: dict[str, str]) -> None:
    for file, text in whole.items():
        # A program may have dollar signs; prose has them around formulas alone.
        assert "$" not in re.sub(r"<(code|pre)>.*?</\1>", "", text, flags=re.DOTALL), file


def test_every_fold_opens_by_its_title(whole: dict[str, str]) -> None:
    folds = [part for each in PAGES for part in each.parts if isinstance(part, Details)]
    pages = "".join(whole[page.file_name(each)] for each in PAGES)
    assert pages.count('<details class="prose fold"><summary>') == len(folds) > 0


@pytest.mark.parametrize("stock", STOCKS, ids=lambda stock: f"{stock.slug}-{stock.figure.name}")
def test_what_is_not_exported_of_a_figure_is_said(stock: FigureInventory) -> None:
    lacking = {
        parameter.label
        for parameter in stock.figure.parameters
        if isinstance(parameter, IntParameter)
        and parameter.high - parameter.low >= MAX_EXPORTED_VALUES
        if not any("own" in at for at in parameter.when.values())
        if not any(parameter.when.get(p.name) == p.server_only for p in picks(stock))
    }
    assert all(any(f"“{label}”" in phrase for phrase in stock.app_only) for label in lacking)


def picks(stock: FigureInventory) -> list[EnumParameter]:
    return [p for p in stock.figure.parameters if isinstance(p, EnumParameter)]


# Figures


def test_all_values_of_a_parameter_that_has_few_are_exported() -> None:
    case = stock("successors", "curves")
    assert len(case.payloads) == 4
    assert len({stored.path for stored in case.payloads}) == 4


def test_of_a_parameter_that_has_many_values_one_is_exported() -> None:
    offset = stock("rmsnorm", "offset")
    (stored,) = offset.payloads
    assert offset.app_only == ("other values of “Seed”",)
    assert "weights" not in str(document(stored.content())["parameters"])


def test_what_is_measured_when_asked_for_is_not_exported() -> None:
    kernels = stock("cost", "kernels")
    assert [stored.values["machine"] for stored in kernels.payloads] == ["cpu"]
    assert kernels.app_only == ("“this server, now”",)


def test_no_cell_of_an_exported_table_can_be_typed_anew() -> None:
    found = document(stock("axes", "grid").payloads[0].content())
    assert found["edits"] is None
    assert [known["own"] for known in found["parameters"]] == [""]


def test_an_exported_figure_has_the_numbers_of_the_app() -> None:
    figure = find_figure("axes", "grid")
    assert figure is not None
    for stored in stock("axes", "grid").payloads:
        found, app = document(stored.content()), figure.payload(stored.values)
        assert {name: found[name] for name in ("tensors", "views", "controls", "code")} == {
            name: json.loads(json.dumps(app[name]))
            for name in ("tensors", "views", "controls", "code")
        }


def test_values_that_do_not_go_together_lead_to_the_nearest() -> None:
    line = stock("gain-bias", "line")
    beyond = next(
        s for s in line.payloads if s.values["data"] == "worked" and s.values["case"] == 16
    )
    error = beyond.content()
    assert isinstance(error, ParameterError)
    found = line.index({beyond.path: error})["files"]["worked 0 16"]
    assert found == {"detail": str(error), "nearest": error.nearest}


def document(script: str | ParameterError) -> dict[str, object]:
    assert isinstance(script, str)
    return dict(json.loads(script[script.index("{") : script.rindex(")")]))


# Prose


def test_links_between_pages_lead_to_their_files() -> None:
    html = prose.markdown_to_html(
        "[a](cost) [b](results#slips) [c](#here) [d](https://x.org/a)", page.exported_link
    )
    assert re.findall('href="(.*?)"', html) == [
        "cost.html",
        "results.html#slips",
        "#here",
        "https://x.org/a",
    ]


def test_a_heading_can_be_linked_to() -> None:
    assert '<h2 id="what-a-norm-does">' in prose.markdown_to_html(
        "## What *a* norm does?", page.exported_link
    )


def test_a_formula_is_mathml() -> None:
    assert "<mfrac>" in prose.markdown_to_html(r"$$\frac{a}{b}$$", page.exported_link)


def test_a_formula_that_is_none_is_an_error() -> None:
    with pytest.raises(Exception, match="nosuch"):
        prose.markdown_to_html(r"$\nosuch{a}$", page.exported_link)


def test_markup_in_prose_stays_text() -> None:
    assert "<script>" not in prose.markdown_to_html("<script>alert(1)</script>", page.exported_link)


# The program


def test_the_program_says_that_nothing_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(book, "PAGES", ())
    export(tmp_path, [], font=b"")
    assert main(["export", str(tmp_path), "--check"]) == 0
    assert capsys.readouterr().out == "The exported book is complete.\n"


def test_the_program_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(book, "PAGES", (HOME,))
    export(tmp_path, [], font=b"")
    (tmp_path / "assets" / "export" / "export.js").unlink()
    assert main(["export", "--check", str(tmp_path)]) == 1
    assert capsys.readouterr().out == (
        "index.html is missing: this page is new. Export the book again.\n"
        "assets/export/export.js is missing.\n"
    )


def test_the_program_refuses_a_folder_in_a_sentence(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(site)]) == 1
    assert "is not empty" in capsys.readouterr().err


def test_the_program_refuses_an_address_that_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(tmp_path), "--url", "example.org"]) == 2
    assert "must begin with https://" in capsys.readouterr().err
