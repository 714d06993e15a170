"""Every number on a page, and every word such as *never*, is known in a way that its file names."""

from pathlib import Path

import pytest

from lnviz.lessons import FOLDERS
from tests.lessons.claims import (
    LESSONS,
    ROOT,
    CitedFrom,
    Proof,
    Sentence,
    TestedBy,
    find_faults,
    is_test,
    page_text,
    parse_ledger,
    sentences,
)

BOOK = sorted(file.parent for file in (ROOT / "lnviz" / "book").glob("*/text.md"))
PAGES = [*(LESSONS / folder for folder in FOLDERS), *BOOK]
FILE = "tests/lessons/test_claims.py"
TEST = f"{FILE}::test_a_test_is_looked_up_in_its_file"


def claimed(text: str) -> list[str]:
    """Return the numbers and words of a text that need a proof."""
    return [claim for sentence in sentences(text) for claim in sentence.claims]


@pytest.mark.slow
@pytest.mark.parametrize("folder", PAGES, ids=lambda folder: folder.name)
def test_every_claim_of_a_page_has_a_proof_and_every_proof_a_claim(folder: Path) -> None:
    file = folder / "claims.toml"  # a page without a claim needs none
    written = file.read_text(encoding="utf-8") if file.exists() else ""
    faults = list(find_faults(page_text(folder), parse_ledger(written)))
    assert not faults, f"{file}\n\n" + "\n".join(faults)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("It has 64 units and 3.5 % of them.", ["64", "3.5"]),
        ("It never stops, and is always faster.", ["never", "always", "faster"]),
        ("A norm is invariant to a factor.", ["invariant"]),
        (
            "Most are larger, and hardly any exactly 1.",
            ["most", "larger", "hardly", "exactly", "1"],
        ),
        ("In three of five runs, half as large.", ["three", "five", "half"]),
        ("Thirteen are −1 and the rest 1,024.", ["thirteen", "1", "1,024"]),
        ("So $0.9^{50} \\approx 0.005$.", ["0.9", "50", "0.005"]),
        ("$13\\,781$ of 1,000", ["13,781", "1,000"]),
        ("- one of 12\n- one of 13", ["12", "13"]),
        ("| a | 14 |\n| --- | --- |\n| b | 15 |", ["14", "15"]),
        ("::: fold Of 16\nIt has 17.\n:::", ["16", "17"]),
        (
            ":::: deeper 9\n## Of 18\n\nIt has 19.\n\n::: fold Of 20\nIt has 21.\n:::\n::::",
            ["18", "19", "20", "21"],
        ),
        ("::: remember\n1. It has 22.\n2. It is so.\n3. It has 23.\n:::", ["22", "23"]),
    ],
)
def test_numbers_and_some_words_are_claims(text: str, claims: list[str]) -> None:
    assert claimed(text) == claims


@pytest.mark.parametrize(
    "text",
    [
        "Is it 64?",
        "As [Ba and Kiros (2016)](https://arxiv.org/abs/1607.06450) say, arXiv 1607.06450.",
        "See equation 3, equations 20 to 22, section 6.6, figure 1a and tables 2 and 4.",
        "GPT-2, T5, OLMo 2 and a ResNet-50 in float32, by R@5.",
        "{{layers:Words}} of {{left:1}} percent, {{post-0.1}} times as large.",
        "Set `eps=1e-5`.\n\n```python\nx = 64\n```\n\n$$\nx = 64\n$$",
        "Where $\\gamma = 0$ and $x^2 < \\tfrac12$, it is no longer so.",
        "One of the two norms.",
        "**Half true.** At best it is as long as that.",
    ],
)
def test_what_claims_nothing_is_left_out(text: str) -> None:
    assert claimed(text) == []


def test_of_a_questions_options_the_right_one_is_said() -> None:
    text = (
        "::: question q\nOf 8?\n\n- [ ] 10\n\n  That is 11.\n\n- [x] 12\n"
        "- [ ] 13\n\n  That is 15.\n\nIt is 14.\n:::"
    )
    assert claimed(text) == ["11", "12", "15", "14"]


def test_a_text_is_cut_at_the_ends_of_its_sentences() -> None:
    text = (
        "As Xu et al. (2019) say: *so*. (It is.) $x$ is\n[one](a.md). {{two:Words}}. “Two.” *Three*"
    )
    assert [sentence.text for sentence in sentences(text)] == [
        "As Xu et al. (2019) say: so.",
        "(It is.)",
        "$x$ is one.",
        "{{two:Words}}.",
        "“Two.”",
        "Three",
    ]


def test_a_proof_stands_behind_its_sentence() -> None:
    text = (
        "It is 3.[=a] It is 4:[=b][=c] so.\n\n"
        "| 5[=d] |\n\n## Of [6](x)[=e]\n\n"
        "::: number n\nHow many?\n\n- [x] 7 ± 0 [=f]\n- [ ] 9\n\n  Of 9.[=g]\n\nSo.\n:::"
    )
    assert [(sentence.text, sentence.marks) for sentence in sentences(text)] == [
        ("It is 3.", ("a",)),
        ("It is 4: so.", ("b", "c")),
        ("| 5 |", ("d",)),
        ("Of 6", ("e",)),
        ("How many?", ()),
        ("7", ("f",)),
        ("Of 9.", ("g",)),
        ("So.", ()),
    ]


def test_a_test_is_looked_up_in_its_file() -> None:
    assert is_test(TEST)
    assert not is_test(TEST + "s")
    assert not is_test("tests/lessons/test_none.py::test_a_test_is_looked_up_in_its_file")
    assert not is_test(f"{FILE}::claimed")


@pytest.mark.parametrize(
    ("text", "entries", "fault"),
    [
        ("It has 64.", {}, "'It has 64.': how is this known (64)? Write behind it [=name]"),
        ("It has 64.[=a]", {}, "'It has 64.': claims.toml has no entry a, which is none of"),
        ("It is.", {"a": TestedBy(TEST)}, "a: no sentence has the mark [=a]; delete the entry"),
        ("It is.[=a]", {"a": TestedBy(TEST + "s")}, f"a: there is no test {TEST}s"),
        ("It is.[=a]", {"a": CitedFrom("ba", "section 1")}, "a: 'ba' is no key of"),
        ("It is.[=a]", {"a": CitedFrom("https://a.b", "c")}, "and no link of the text"),
        ("It is.[=a]", {"a": CitedFrom("ba2016layer", "")}, "a: has no place in the source"),
    ],
)
def test_an_author_is_told_what_to_mend(text: str, entries: dict[str, Proof], fault: str) -> None:
    assert [found for found in find_faults(text, entries) if fault in found]


def test_what_is_proved_is_no_fault() -> None:
    entries = parse_ledger(
        f'[tests."{FILE}"]\n'
        'units = "test_a_test_is_looked_up_in_its_file"\n'
        'plain = "test_a_test_is_looked_up_in_its_file"\n'
        '[sources.ba2016layer]\nba-table-2 = "table 2"\n'
        '[sources."https://a.b/c"]\nthey = "the first line"\n'
    )
    text = (
        "It has 64.[=units] Of 65.[=units] 66 of 64.[=units][=ba-table-2] It is so.[=plain] "
        "Let it be 3.[=supposed] It is 7, as [they](https://a.b/c) say.[=they]"
    )
    assert list(find_faults(text, entries)) == []


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (
            '[claims.a]\nb = "c"\n',
            r"^a section is \[tests.FILE\] or \[sources.KEY\], got",
        ),
        ('[tests.a]\nb = "c"\n[sources.a]\nb = "c"\n', "^two entries are called 'b'$"),
        ('[tests.a]\nnamed = "c"\n', "^two entries are called 'named'$"),
        ('[tests.a]\nb = { test = "c" }\n', "^the entry 'b' of a is one string, got"),
    ],
)
def test_a_ledger_has_entries_of_two_kinds_under_names_of_their_own(
    written: str, fault: str
) -> None:
    with pytest.raises(ValueError, match=fault):
        parse_ledger(written)


def test_a_sentence_without_a_number_needs_no_proof() -> None:
    assert Sentence("It is so.").claims == ()
