"""What students type, and the sections that should come first."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lnviz.book import PAGES
from lnviz.book.search import search_index
from lnviz.frontend.static_files import FOLDER

RANKING = FOLDER / "book" / "ranking.js"
TABLE: list[tuple[str, list[str]]] = json.loads(
    Path(__file__).with_name("search_questions.json").read_text(encoding="utf-8")
)
"""Questions, each with the addresses of which one should be among the first."""
SEEN, MOST_MISSED = 3, 4
PROGRAM = """
import {{ readFileSync }} from "node:fs";
import {{ Ranking }} from "{}";
const {{ sections, questions }} = JSON.parse(readFileSync(0, "utf8"));
const ranking = new Ranking(sections);
const found = questions.map((question) => ranking.search(question).sections);
console.log(JSON.stringify(found.map((all) => all.map(({{ address }}) => address))));
"""


@pytest.fixture(scope="module")
def found() -> dict[str, list[str]]:
    """The addresses that each question leads to, the best first."""
    questions = [question for question, _ in TABLE]
    sections = search_index(PAGES, str)
    node = Path(sys.executable).parent / "node"
    told = subprocess.run(
        [
            shutil.which(node) or "node",
            "--input-type=module",
            "-e",
            PROGRAM.format(RANKING.as_uri()),
        ],
        input=json.dumps({"sections": sections, "questions": questions}),
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    return dict(zip(questions, json.loads(told.stdout), strict=True))


def test_whoever_asks_sees_the_answer_among_the_first(found: dict[str, list[str]]) -> None:
    missed = {
        asked: found[asked][:SEEN]
        for asked, there in TABLE
        if not {*there} & {*found[asked][:SEEN]}
    }
    assert len(missed) <= MOST_MISSED, missed


@pytest.mark.slow
def test_each_question_has_an_answer_in_the_book() -> None:
    addresses = {section["address"] for section in search_index(PAGES, str)}
    assert [asked for asked, there in TABLE if not addresses.intersection(there)] == []


def test_no_list_for_teachers_comes_before_a_lesson(found: dict[str, list[str]]) -> None:
    assert [asked for asked, there in found.items() if there[0].startswith("teach")] == []


@pytest.mark.slow
def test_every_symptom_of_the_field_guide_is_found(found: dict[str, list[str]]) -> None:
    asked = {asked: there for asked, there in TABLE if there[0].startswith("practice#")}
    assert {there[0] for there in asked.values()} == {
        each["address"]
        for each in search_index(PAGES, str)
        if each["address"].startswith("practice#")
    }
    assert [each for each, there in asked.items() if not {*there} & {*found[each][:SEEN]}] == []
