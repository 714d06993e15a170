"""Every number on a page, and every word such as *never*, is known in a way that its file names."""

from pathlib import Path

import pytest

from lnviz.lessons import FOLDERS
from tests.lessons.claims import (
    LESSONS,
    ROOT,
    Claim,
    Sentence,
    claims,
    faults,
    is_test,
    sentences,
    text_of,
)

BOOK = sorted(file.parent for file in (ROOT / "lnviz" / "book").glob("*/text.md"))
PAGES = [*(LESSONS / folder for folder in FOLDERS), *BOOK]
TEST = "tests/lessons/test_claims.py::test_a_test_is_looked_up_in_its_file"


def marked(text: str) -> list[str]:
    """What of a text has to be listed."""
    return [said.text[start:end] for said in sentences(text) for start, end in said.marks]


@pytest.mark.parametrize("folder", PAGES, ids=lambda folder: folder.name)
def test_every_claim_of_a_page_is_listed_with_how_it_is_known(folder: Path) -> None:
    file = folder / "claims.toml"  # a page without a claim needs none
    written = file.read_text(encoding="utf-8") if file.exists() else ""
    found = list(faults(text_of(folder), claims(written)))
    assert not found, f"{file}\n\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It has 64 units and 3.5 % of them.", ["64", "3.5"]),
        ("It never stops, and is always faster.", ["never", "always", "faster"]),
        ("A norm is invariant to a factor.", ["invariant"]),
        (
            "Most are larger, and hardly any exactly 1.",
            ["Most", "larger", "hardly", "exactly", "1"],
        ),
        ("In three of five runs, half as large.", ["three", "five", "half"]),
        ("Thirteen are −1 and the rest 1,024.", ["Thirteen", "1", "1,024"]),
        ("So $0.9^{50} \\approx 0.005$.", ["0.9", "50", "0.005"]),
        ("- one of 12\n- one of 13", ["12", "13"]),
        ("| a | 14 |\n| --- | --- |\n| b | 15 |", ["14", "15"]),
        ("::: fold Of 16\nIt has 17.\n:::", ["16", "17"]),
    ],
)
def test_numbers_and_some_words_are_claims(text: str, found: list[str]) -> None:
    assert marked(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Is it 64?",
        "As [Ba and Kiros (2016)](https://arxiv.org/abs/1607.06450) say, arXiv 1607.06450.",
        "See equation 3, equations 20 to 22, section 6.6, figure 1a and tables 2 and 4.",
        "GPT-2, T5, OLMo 2 and a ResNet-50 in float32, by R@5.",
        "{{layers:Words}} of {{left:.1f}} percent, {{post-0.1}} times as large.",
        "Set `eps=1e-5`.\n\n```python\nx = 64\n```\n\n$$\nx = 64\n$$",
        "Where $\\gamma = 0$ and $x^2 < \\tfrac12$, it is no longer so.",
        "One of the two norms.",
        "**Half true.** At best it is as long as that.",
    ],
)
def test_what_claims_nothing_is_left_out(text: str) -> None:
    assert marked(text) == []


def test_of_a_questions_options_the_right_one_is_said() -> None:
    text = (
        "::: question q\nOf 8?\n\n- [ ] 10\n\n  That is 11.\n\n- [x] 12\n"
        "- [ ] 13\n\n  That is 15.\n\nIt is 14.\n:::"
    )
    assert marked(text) == ["11", "12", "15", "14"]


def test_a_text_is_cut_at_the_ends_of_its_sentences() -> None:
    text = (
        "As Xu et al. (2019) say: *so*. (It is.) $x$ is\n[one](a.md). {{two:Words}}. “Two.” *Three*"
    )
    assert [said.text for said in sentences(text)] == [
        "As Xu et al. (2019) say: so.",
        "(It is.)",
        "$x$ is one.",
        "{{two:Words}}.",
        "“Two.”",
        "Three",
    ]


def test_a_test_is_looked_up_in_its_file() -> None:
    assert is_test(TEST)
    assert not is_test(TEST + "s")
    assert not is_test("tests/lessons/test_none.py::test_a_test_is_looked_up_in_its_file")
    assert not is_test("tests/lessons/test_claims.py::marked")


@pytest.mark.parametrize(
    ("text", "listed", "fault"),
    [
        ("It has 64.", [], "64: how is this known? Add an entry"),
        ("It has 64 of 65.", [Claim("has 64", test=(TEST,))], "65: how is this known?"),
        ("It is.", [Claim("It was", test=(TEST,))], "no sentence has the words 'It was': mend"),
        ("It is 3. It is 4.", [Claim("It is", test=(TEST,))], "2 sentences have the words 'It is'"),
        ("It is.", [Claim("It is")], "has one of test, source and nothing"),
        ("It is.", [Claim("It", (TEST,), nothing="named")], "has one of test, source and nothing"),
        ("It is.", [Claim("It is", test=(TEST + "s",))], f"there is no test {TEST}s"),
        ("It is.", [Claim("It is", source="ba2016layer")], "has source and where together"),
        ("It is.", [Claim("It is", source="ba", where="section 1")], "'ba' is no key of"),
        ("It is.", [Claim("It is", source="https://a.b", where="c")], "and no link of the text"),
        ("It is.", [Claim("It is", nothing="so")], "nothing is one of supposed, defined, "),
    ],
)
def test_an_author_is_told_what_to_mend(text: str, listed: list[Claim], fault: str) -> None:
    (said,) = (said for said in faults(text, listed) if fault in said)
    assert said


def test_a_listed_claim_is_no_fault() -> None:
    written = f'[[claim]]\nwords = "It has 64"\ntest = "{TEST}"\n'
    written += '[[claim]]\nwords = "65"\nsource = "ba2016layer"\nwhere = "table 2"\n'
    assert list(faults("It has 64 of 65.", claims(written))) == []


def test_a_page_that_the_text_links_to_is_a_source() -> None:
    listed = [Claim("It has 64", source="https://a.b/c", where="the first line")]
    assert list(faults("It has 64, as [they](https://a.b/c) say.", listed)) == []


def test_an_entry_can_name_several_tests() -> None:
    written = f'[[claim]]\nwords = "so"\ntest = ["{TEST}", "{TEST}"]\n'
    assert claims(written) == [Claim("so", test=(TEST, TEST))]


def test_a_sentence_without_a_number_need_not_be_listed() -> None:
    assert Sentence("It is so.").marks == []
