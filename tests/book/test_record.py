"""Every entry of the record: a verdict, a way of knowing, and figures that are there."""

import re

import numpy as np
import pytest
import torch
from torch import nn

from lnviz.book import find_page
from lnviz.book.record.verdicts import verdicts
from lnviz.lessons.text import anchor
from tests.book.links import LINK, Link, broken, links

PAGE = find_page("record")
assert PAGE is not None
TEXT = "\n\n".join(part for part in PAGE.parts if isinstance(part, str))
ENTRIES = [
    entry.partition("\n## ")[0] for entry in re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:]
]
TITLES = [entry.partition("\n")[0] for entry in ENTRIES]
LINKS = sorted(set(links(TEXT)), key=str)
KNOWN = r"\*How we know:\* (cited: |measured here|derived here|derived and tested here|tested here)"


def test_there_are_entries_and_no_two_are_alike() -> None:
    assert len(set(TITLES)) == len(TITLES) > 30


def test_the_table_has_every_entry_once_with_its_verdict_and_evidence() -> None:
    rows = [row.strip("| ").split(" | ") for row in verdicts().splitlines()[2:]]
    assert [int(number) for number, *_ in rows] == [*range(1, len(ENTRIES) + 1)]
    for (_, link, verdict, evidence), entry in zip(rows, ENTRIES, strict=True):
        title = entry.partition("\n")[0]
        assert link == f"[{title.strip('“”')}](#{anchor(title)})"
        assert f"**{verdict}.**" in entry
        assert evidence
        assert ("cited" in evidence) == ("ited: " in entry)
        assert ("measured" in evidence) == ("easured here" in entry)


def test_an_entry_is_a_statement_in_quotation_marks() -> None:
    for entry in ENTRIES:
        assert re.match(r"“.+”\n", entry)


def test_an_entry_begins_with_a_verdict_of_a_few_words() -> None:
    for entry in ENTRIES:
        verdict = re.search(r"\n\n\*\*([^*]+)\.\*\* \w", entry)
        assert verdict, entry
        assert len(verdict[1].split()) <= 8


def test_an_entry_says_how_one_knows() -> None:
    for entry in ENTRIES:
        assert re.search(KNOWN, entry)
        assert entry.count("*How we know:*") == 1


def test_what_is_cited_names_a_source() -> None:
    for cited in re.findall(r"[cC]ited: ([^*]+)", "".join(ENTRIES)):
        assert LINK.search(cited) or "Ba et al., " in cited


def test_an_entry_leads_to_a_figure() -> None:
    for entry in ENTRIES:
        assert links(entry.partition("*See it:*")[2]), entry


@pytest.mark.slow
@pytest.mark.parametrize("link", LINKS, ids=lambda link: f"{link.slug}-{link.figure}-{link.query}")
def test_every_link_leads_to_a_figure_with_these_controls(link: Link) -> None:
    assert broken(link) == []


@pytest.mark.parametrize(
    ("link", "said"),
    [
        (Link("nowhere", (), "grid"), "no page nowhere"),
        (Link("axes", (), "gird"), "axes has no figure gird"),
        (Link("axes", (("nrom", "batch"),), "grid"), "axes#grid has no nrom=batch"),
        (Link("axes", (("norm", "bacth"),), "grid"), "axes#grid has no norm=bacth"),
        (Link("axes", (("cell", "9.9"),), "grid"), "axes#grid has no cell=9.9"),
    ],
)
def test_a_link_to_what_is_not_there_is_found_out(link: Link, said: str) -> None:
    assert broken(link) == [said]


def test_std_divides_by_n_in_numpy_and_by_one_less_in_pytorch() -> None:
    x = np.array([[1.0], [2.0], [6.0]])
    centered = ((x - x.mean(0)) ** 2).sum(0)
    assert np.allclose(x.std(0) ** 2, centered / 3)
    assert np.allclose(torch.from_numpy(x).std(0) ** 2, centered / 2)


def test_a_feature_with_one_value_is_divided_by_zero_without_epsilon() -> None:
    x = torch.tensor([[3.0], [3.0]])
    assert ((x - x.mean(0)) / x.std(0)).isnan().all()


def test_momentum_weighs_the_new_value_in_pytorch() -> None:
    norm = nn.BatchNorm1d(1, momentum=0.1)
    norm(torch.tensor([[4.0], [6.0]]))
    assert norm.running_mean is not None
    assert norm.running_mean.item() == pytest.approx(0.9 * 0 + 0.1 * 5)


def test_layer_norm_of_the_channels_takes_the_columns_or_stops() -> None:
    x = torch.randn(2, 3, 4, 3)
    assert torch.allclose(nn.LayerNorm(3)(x).mean(-1), torch.zeros(2, 3, 4), atol=1e-5)
    with pytest.raises(RuntimeError, match="normalized_shape"):
        nn.LayerNorm(3)(torch.randn(2, 3, 4, 5))


@pytest.mark.parametrize(
    ("numbers", "like"),
    [
        (torch.float16, torch.float32),
        (torch.bfloat16, torch.float32),
        (torch.float32, torch.float32),
        (torch.float64, torch.float64),
    ],
)
def test_rms_norm_starts_from_another_epsilon_than_layer_norm(
    numbers: torch.dtype, like: torch.dtype
) -> None:
    assert nn.LayerNorm(8).eps == 1e-5
    assert nn.RMSNorm(8).eps is None
    x = (1e-3 * torch.randn(64, 8, generator=torch.Generator().manual_seed(0))).to(numbers)
    y = nn.RMSNorm(8, elementwise_affine=False)(x).double()
    square = x.double().square().mean(-1, keepdim=True)
    eps = ((x.double() / y).square() - square).median()
    assert eps.item() == pytest.approx(torch.finfo(like).eps, rel=0.1)
