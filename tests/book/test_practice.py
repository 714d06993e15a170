"""Every symptom of the field guide: how it is built, and that its code finds what it says."""

import contextlib
import io
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
import torch
from torch import nn

import lnviz
from lnviz.book.practice import PAGE
from lnviz.lessons import OptionalSection
from tests.book.links import Link, broken, links
from tests.diagnostics.models import WIDTH, WORDS, OwnRMS, Reader, pictures, read, train

SYMPTOMS: dict[str, OptionalSection[Any]] = {part.title: part for part in PAGE.optional_sections}
WHOLE = {
    title: "\n\n".join(part for part in symptom.flattened if isinstance(part, str))
    for title, symptom in SYMPTOMS.items()
}
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
HEADS = ("How to find out.", "Why.", "What to do.", "What it costs.", "How we know.")
PRINTED = re.compile(r"^```text\n(.*?)^```", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?")
LONGEST, MOST_LINES = 250, 6
"""Words of a symptom without its code, and lines of a program."""
LINKS = sorted({link for text in WHOLE.values() for link in links(text)}, key=str)

Given = Mapping[str, Any]


def test_the_first_screen_leads_to_each_symptom() -> None:
    [first] = [part for part in PAGE.core if isinstance(part, str)]
    named = re.findall(r"\]\(#([^)]+)\)", first)
    assert sorted(named) == sorted(part.name for part in PAGE.optional_sections)
    assert len(first.partition("|")[0].split()) <= 60


@pytest.mark.parametrize("title", SYMPTOMS)
def test_a_symptom_is_short_and_says_what_to_do_and_how_that_is_known(title: str) -> None:
    text = PRINTED.sub("", CODE.sub("", WHOLE[title]))
    assert sum(any(map(str.isalnum, word)) for word in text.split()) <= LONGEST
    heads = HEADS if title != "Which norm for a new model?" else (HEADS[0], HEADS[-1])
    at = [text.index(f"**{head}**") for head in heads]
    assert at == sorted(at)
    assert links(text) or any(not isinstance(part, str) for part in SYMPTOMS[title].parts)
    for code in CODE.findall(WHOLE[title]):
        assert len(code.splitlines()) <= MOST_LINES


@pytest.mark.slow
@pytest.mark.parametrize("link", LINKS, ids=lambda link: f"{link.slug}-{link.figure}-{link.query}")
def test_every_link_leads_to_a_figure_with_these_controls(link: Link) -> None:
    slug = link.slug or "practice"
    assert broken(Link(slug, link.query, link.figure)) == []


def given(model: nn.Module, inputs: torch.Tensor, **more: Any) -> Given:
    """What a reader has: a model, inputs, targets and a criterion."""
    output = model(inputs) if not more.pop("unasked", False) else inputs
    return {
        "model": model,
        "inputs": inputs,
        "targets": torch.zeros_like(output),
        "criterion": nn.functional.mse_loss,
        **more,
    }


def ids() -> torch.Tensor:
    return torch.randint(WORDS, (4, 12))


def reader(model: nn.Module, **more: Any) -> Given:
    return given(model, ids(), **more)


def deep(pre: bool) -> Given:
    model = Reader(12, pre=pre)
    train(model, partial(read, examples=8), steps=20, lr=3e-3)
    return reader(model)


def spiked(factor: float) -> Given:
    model = Reader()
    dict(model.named_parameters())["blocks.1.inner.2.weight"].data.mul_(factor)
    return reader(model)


def halved(narrow: bool) -> Given:
    parts = nn.Linear(8, WIDTH), OwnRMS(WIDTH, narrow=narrow), nn.Linear(WIDTH, 2)
    return given(nn.Sequential(*parts).half(), 1000 * torch.randn(4, 8).half())


def seen(examples: int) -> Given:
    return given(pictures(), torch.randn(examples, 3, 16, 16))


def evaluated(trained: bool) -> Given:
    model = pictures()
    if trained:
        for _ in range(60):
            model(torch.randn(16, 3, 16, 16))
    return given(model.eval(), torch.randn(16, 3, 16, 16))


def padded(longest: int) -> Given:
    there = torch.arange(24) < torch.arange(4, 20)[:, None].clamp(min=24 - longest)
    model = nn.Sequential(nn.Conv1d(3, 8, 3, padding=1), nn.BatchNorm1d(8), nn.ReLU())
    return given(model, torch.randn(16, 3, 24) * there[:, None])


def shifted(by: float) -> Given:
    model = Reader()
    model.embedding.weight.data.add_(by)
    return reader(model)


def folded() -> Given:
    norm, reader = nn.LayerNorm(8), nn.Linear(8, 5)
    nn.init.normal_(norm.weight), nn.init.normal_(norm.bias)
    return {"norm": norm, "reader": reader, "inputs": torch.randn(6, 8)}


def massive(by: float) -> Given:
    model = Reader()
    model.embedding.weight.data[:, 7].add_(by)
    return reader(model)


def optimized(decay: float) -> Given:
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8))
    groups = [
        {"params": [p for p in model.parameters() if (p.dim() < 2) == small], "weight_decay": each}
        for small, each in ((True, decay), (False, 0.1))
    ]
    return {"model": model, "optimizer": torch.optim.AdamW(groups)}


def cast(narrow: bool) -> Given:
    parts = nn.Linear(8, WIDTH), OwnRMS(WIDTH, narrow=narrow), nn.Linear(WIDTH, 2)
    return given(nn.Sequential(*parts), torch.randn(4, 8))


def ported(eps: float) -> Given:
    theirs, mine = nn.RMSNorm(8, eps=1e-6), nn.RMSNorm(8, eps=eps)
    return {"theirs": theirs, "mine": mine, "inputs": 3 * torch.randn(4, 8)}


def frozen(evaluated: bool) -> Given:
    model = pictures()
    for _ in range(60):
        model(torch.randn(16, 3, 16, 16))
    model[:6].requires_grad_(False)
    model[:6].train(not evaluated)
    return given(model, torch.randn(16, 3, 16, 16))


def over(shape: int | list[int]) -> Given:
    parts = nn.Linear(8, WIDTH), nn.LayerNorm(shape), nn.Linear(WIDTH, 2)
    return given(nn.Sequential(*parts), torch.randn(4, 12, 8))


def of_width(width: int) -> Given:
    return given(nn.Sequential(nn.Linear(8, width), nn.LayerNorm(width)), torch.randn(16, 8))


def gained(dtype: torch.dtype) -> Given:
    parts = nn.Linear(8, WIDTH), OwnRMS(WIDTH), nn.Linear(WIDTH, 2)
    model = nn.Sequential(*parts).to(torch.bfloat16)
    model[1].to(dtype)
    return {"model": model, "inputs": torch.randn(4, 8, dtype=torch.bfloat16)}


class Adaptive(nn.Module):
    def __init__(self, started: bool) -> None:
        super().__init__()
        self.norm, self.scale = nn.LayerNorm(8, elementwise_affine=False), nn.Linear(3, 8)
        if not started:
            nn.init.zeros_(self.scale.weight)

    def forward(self, x: torch.Tensor, conditions: torch.Tensor) -> torch.Tensor:
        scaled: torch.Tensor = self.norm(x) * (1 + self.scale(conditions))
        return scaled


def conditioned(started: bool) -> Given:
    return {
        "model": Adaptive(started),
        "inputs": torch.randn(5, 8),
        "conditions": torch.randn(5, 3),
    }


def ran(title: str, names: Given) -> str:
    """What all programs of a symptom print, one after the other, with these names."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        for code in CODE.findall(WHOLE[title]):
            exec(code, {"torch": torch, "lnviz": lnviz, **names})
    return said.getvalue()


def first(said: str) -> float:
    """The first number that a tensor of one number is printed with."""
    found = re.search(r"tensor\(([-\d.e+]+)", said)
    assert found, said
    return float(found[1])


PLANTED: dict[str, tuple[Callable[[], Given], Callable[[], Given], Callable[[str], bool]]] = {
    "My Post-LN model diverges": (
        lambda: deep(pre=False),
        lambda: deep(pre=True),
        lambda said: 'gradient at "blocks.' in said,
    ),
    "Loss spikes late in training": (
        lambda: spiked(100.0),
        lambda: spiked(1.0),
        lambda said: max(float(row.split()[3]) for row in said.splitlines()[1:]) > 20,
    ),
    "NaN or inf in half precision": (
        lambda: halved(narrow=True),
        lambda: halved(narrow=False),
        lambda said: said.startswith('overflow at "1"'),
    ),
    "A batch of 1 or 2 per device": (
        lambda: seen(2),
        lambda: seen(16),
        lambda said: 'batch at "1"' in said,
    ),
    "Training and evaluation differ": (
        lambda: evaluated(trained=False),
        lambda: evaluated(trained=True),
        lambda said: "running at " in said,
    ),
    "A frozen BatchNorm still changes": (
        lambda: frozen(evaluated=False),
        lambda: frozen(evaluated=True),
        lambda said: said.startswith('frozen at "1"'),
    ),
    "Padding changes the result": (
        lambda: padded(20),
        lambda: padded(0),
        lambda said: 'padding at "1"' in said,
    ),
    "Statistics over the wrong axis": (
        lambda: over([12, WIDTH]),
        lambda: over(WIDTH),
        lambda said: said.startswith('axis at "1"'),
    ),
    "LayerNorm outputs only 1 and −1": (
        lambda: of_width(2),
        lambda: of_width(8),
        lambda said: said.startswith('sign at "1"'),
    ),
    "Can I swap LayerNorm for RMSNorm after training?": (
        lambda: shifted(4.0),
        lambda: shifted(0.0),
        lambda said: 'mean at "blocks.0.first"' in said,
    ),
    "Quantized activations break the model": (
        lambda: massive(500.0),
        lambda: massive(0.0),
        lambda said: " 7.0 " in said.splitlines()[-1],
    ),
    "Should weight decay act on gains and biases?": (
        lambda: optimized(0.1),
        lambda: optimized(0.0),
        lambda said: "0.1 ['0.bias', '1.weight', '1.bias']" in said,
    ),
    "Does autocast keep norms in float32?": (
        lambda: cast(narrow=True),
        lambda: cast(narrow=False),
        lambda said: "1 bfloat16 in, statistics in the input's" in said,
    ),
    "“mat1 and mat2 must have the same dtype” after RMSNorm": (
        lambda: gained(torch.float32),
        lambda: gained(torch.bfloat16),
        lambda said: said.startswith('dtype at "1"'),
    ),
    "Ported weights give different outputs": (
        lambda: ported(1e-5),
        lambda: ported(1e-6),
        lambda said: "epsilon at the model" in said,
    ),
    "The condition of AdaLN or FiLM has no effect": (
        lambda: conditioned(started=False),
        lambda: conditioned(started=True),
        lambda said: first(said) == 0,
    ),
}
"""For each symptom a reader who has it, one who has not, and what its programs print for the first
alone."""


EXACT: dict[str, Callable[[], Given]] = {
    "Can I fold a norm into the next layer?": folded,
    "The loss changes under tensor or sequence parallelism": lambda: {
        "inputs": torch.randn(3, 5, 16)
    },
}
"""For symptoms whose program shows that two ways compute the same: what it is run with."""


@pytest.mark.slow
@pytest.mark.parametrize("title", PLANTED)
def test_the_code_of_a_symptom_finds_it_where_it_is_and_not_where_it_is_not(title: str) -> None:
    ill, well, shows = PLANTED[title]
    for is_ill, make in ((True, ill), (False, well)):
        torch.manual_seed(0)
        said = ran(title, make())
        assert shows(said) == is_ill, said


@pytest.mark.slow
@pytest.mark.parametrize("title", [title for title in WHOLE if PRINTED.search(WHOLE[title])])
def test_what_a_program_is_said_to_print_is_what_it_prints(title: str) -> None:
    [shown] = PRINTED.findall(WHOLE[title])
    makers = {"healthy": EXACT[title]} if title in EXACT else {}
    if title in PLANTED:
        makers = dict(zip(("sick", "healthy"), PLANTED[title], strict=False))
    lines = dict(re.findall(r"^(healthy|sick) +\| (.*)$", shown, re.MULTILINE))
    assert lines.keys() == makers.keys()
    for state, line in lines.items():
        torch.manual_seed(0)
        found = ran(title, makers[state]()).splitlines()
        if line == "(nothing)":
            assert not [each for each in found if each != "[]"]
        else:
            assert any(map(partial(is_printed, line), found)), (line, found)


def is_printed(line: str, found: str) -> bool:
    """Whether a line, up to "…", is printed, with numbers that may differ by a fifth."""
    start = line.removesuffix("…").rstrip()
    same_words = NUMBER.sub("#", found).startswith(NUMBER.sub("#", start))
    numbers = [
        [float(each.replace(",", "")) for each in NUMBER.findall(text)] for text in (start, found)
    ]
    there = numbers[1][: len(numbers[0])]
    is_tiny = all(max(pair) < 1e-5 for pair in zip(*numbers, strict=False))
    return same_words and (is_tiny or numbers[0] == pytest.approx(there, rel=0.2))


def test_a_batch_norm_that_uses_the_batch_in_use_is_found() -> None:
    title = "Training and evaluation differ"
    torch.manual_seed(0)
    names = evaluated(trained=True)
    assert ran(title, {**names, "model": names["model"].train()}).startswith("mode at")
    model = pictures().eval()
    model[1] = nn.BatchNorm2d(8, track_running_stats=False).eval()
    assert ran(title, {**names, "model": model}).startswith('tracking at "1"')


@pytest.mark.parametrize("title", EXACT)
def test_a_folded_norm_and_a_split_one_compute_the_same(title: str) -> None:
    torch.manual_seed(0)
    assert first(ran(title, EXACT[title]())) < 1e-5


@pytest.mark.slow
def test_the_code_for_a_choice_times_both_norms() -> None:
    said = ran("Which norm for a new model?", {})
    assert "LayerNorm((768,)" in said
    assert "RMSNorm((768,)" in said
    assert len(said.splitlines()) == 2


def test_every_program_of_the_page_is_run_here() -> None:
    with_code = {title for title, text in WHOLE.items() if CODE.search(text)}
    run = {*PLANTED, *EXACT, "Which norm for a new model?"}
    assert with_code == run == {*SYMPTOMS}


@torch.no_grad()
def test_statistics_of_frozen_batch_norms_move_without_gradients() -> None:
    model = frozen(evaluated=False)["model"]
    before = model[1].running_mean.clone()
    model(torch.randn(16, 3, 16, 16) + 1)
    assert not torch.equal(model[1].running_mean, before)


def test_instance_norm_takes_two_dimensions_for_one_example() -> None:
    x, norm = torch.randn(4, 16), nn.InstanceNorm1d(16)
    with pytest.warns(UserWarning, match="num_features"), lnviz.watch(norm) as watched:
        y = norm(x)
    torch.testing.assert_close(y, nn.functional.layer_norm(x, (16,)))
    assert [finding.kind for finding in watched.findings] == ["axis"]
    right = nn.InstanceNorm1d(4)
    with lnviz.watch(right) as watched:
        right(x)
    assert watched.findings == ()


def test_of_two_values_a_norm_leaves_the_sign() -> None:
    x = torch.arange(16.0).sin().reshape(8, 2)
    expected = torch.where(x == x.max(1, keepdim=True).values, 1.0, -1.0)
    in_groups = nn.GroupNorm(4, 8, eps=0.0)(x.reshape(2, 8)).reshape(8, 2)
    of_batch = nn.BatchNorm1d(8, eps=1e-12)(x.T).T
    for y in (nn.LayerNorm(2, eps=0.0)(x), in_groups, of_batch):
        torch.testing.assert_close(y, expected)
    assert not nn.LayerNorm(1)(x[:, :1]).any()


def test_a_gain_in_float32_makes_the_output_float32_and_the_next_layer_fail() -> None:
    held = gained(torch.float32)
    model, inputs = held["model"], held["inputs"]
    assert model[:2](inputs).dtype == torch.float32
    with pytest.raises(RuntimeError, match="mat1 and mat2 must have the same dtype"):
        model(inputs)
    assert model.to(torch.bfloat16)(inputs).dtype == torch.bfloat16
    with torch.autocast("cpu", torch.bfloat16):
        assert gained(torch.float32)["model"](inputs).dtype == torch.bfloat16


def test_one_large_number_leaves_nothing_of_small_ones_in_8_bits() -> None:
    step = 22_000 / 127
    assert round(step) == 173
    assert round(86 / step) == 0
    assert round(87 / step) == 1
