import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lnviz.book import PAGES, find_page, reference
from lnviz.book.reference import models, norms, placements
from lnviz.lessons import LESSONS, ComparisonCell, ComparisonTable, Details, Lesson
from lnviz.lessons.citation_marks import strip_marks
from lnviz.lessons.tables import table_html
from lnviz.norms import BATCH, CATALOGUE, INSTANCE, LAYER, RMS, WEIGHT, Norm, group_norm
from lnviz.topics.transformer import PERI, PLACEMENTS, POST, PRE
from lnviz.topics.transformer.counts import MODELS
from lnviz.topics.transformer.profiles import PROFILES
from lnviz.topics.transformer.setups import InitializationExperiment
from lnviz.topics.transformer.theory import sizes

FOLDER = Path(reference.__file__).parent
PAGE = reference.PAGE
N, C, H, W, INPUTS = 4, 6, 3, 5, 7
COMPARED = ("batch", "layer", "rms", "group", "instance", "weight")
TEXT = strip_marks((FOLDER / "text.md").read_text(encoding="utf-8"))
LINK = re.compile(r"\]\(([^)\s]+)\)")


def cell(table: ComparisonTable, row: str, column: str) -> str:
    """What a table says in one place."""
    [found] = [each for each in table.rows if each.label == row]
    return found.cells[table.columns.index(column)].text


def said(key: str, column: str) -> str:
    return cell(norms.TABLE, CATALOGUE[key].label, column)


# The norms as PyTorch has them, of an image or of a table.


def weights() -> Tensor:
    return torch.randn((C, INPUTS), generator=torch.Generator().manual_seed(2))


TORCH: dict[str, Callable[[Tensor], Tensor]] = {
    "batch": lambda x: F.batch_norm(x, None, None, training=True),
    "layer": lambda x: F.layer_norm(x, x.shape[1:]),
    "rms": lambda x: F.rms_norm(x, x.shape[1:], eps=1e-5),
    "group": lambda x: F.group_norm(x, 2),
    "instance": lambda x: F.instance_norm(x),
    "weight": lambda x: x / weights().norm(dim=1).view(-1, *[1] * (x.dim() - 2)),
}
MODULES: dict[str, nn.Module] = {
    "batch": nn.BatchNorm2d(C),
    "layer": nn.LayerNorm((C, H, W)),
    "rms": nn.RMSNorm((C, H, W), eps=1e-5),
    "group": nn.GroupNorm(2, C),
    "instance": nn.InstanceNorm2d(C),
}


def images(cases: int = N) -> Tensor:
    return torch.randn((cases, C, H, W), generator=torch.Generator().manual_seed(1)) + 3


def moved(norm: Callable[[Tensor], Tensor]) -> str:
    """The axes along which outputs move when one input does, as the table writes them."""
    x = images()
    other = x.clone()
    other[1, 1, 1, 1] += 1
    changed = (norm(x) - norm(other)).abs() > 1e-6
    spread = {
        axis: int(changed.any(tuple(d for d in range(4) if d != i)).sum())
        for i, axis in enumerate("NCHW")
    }
    sizes_of = dict(zip("NCHW", x.shape, strict=True))
    words = {
        axis: axis if count == sizes_of[axis] else f"{axis} / G"
        for axis, count in spread.items()
        if count > 1
    }
    return ", ".join(words.values())


@pytest.mark.parametrize("key", COMPARED)
def test_a_norm_is_said_to_go_over_the_axes_along_which_a_change_of_one_number_shows(
    key: str,
) -> None:
    found = moved(TORCH[key])
    assert said(key, "Normalizes over") == (found or "no data: the weights of a unit")
    assert bool(found) == (key != "weight")


TOKENS: dict[str, tuple[nn.Module | None, str]] = {
    "batch": (nn.BatchNorm1d(INPUTS), "B and T, for each feature"),
    "layer": (nn.LayerNorm(INPUTS), "D, for each token"),
    "rms": (nn.RMSNorm(INPUTS, eps=1e-5), "D, for each token"),
    "group": (nn.GroupNorm(1, INPUTS), "T and D / G, for each sequence"),
    "instance": (nn.InstanceNorm1d(INPUTS), "T, for each sequence and feature"),
}
"""Modules of a Transformer's D features, and the axes over which the table says they go."""


@pytest.mark.parametrize("key", TOKENS)
def test_in_a_transformer_a_norm_is_said_to_go_over_what_a_change_shows_along(key: str) -> None:
    module, text = TOKENS[key]
    assert module is not None
    tokens = torch.randn((N, H, INPUTS), generator=torch.Generator().manual_seed(3))
    other = tokens.clone()
    other[1, 1, 1] += 1
    is_last = key in ("layer", "rms")  # the others take features before positions

    def normed(x: Tensor) -> Tensor:
        out: Tensor = module(x if is_last else x.mT)
        return out if is_last else out.mT

    changed = (normed(tokens) - normed(other)).abs() > 1e-6
    axes = [int(changed.any(tuple(d for d in range(3) if d != i)).sum()) for i in range(3)]
    over = [name for name, count in zip(("B", "T", "D"), axes, strict=True) if count > 1]
    says = said(key, "In a Transformer (B, T, D)")
    assert says.startswith(text)
    assert text.partition(",")[0].replace(" / G", "") == " and ".join(over)
    count = sum(p.numel() for p in module.parameters())
    counted = {"2 D": 2 * INPUTS, "D": INPUTS, "0": 0}
    assert counted[says.partition("; ")[2].removesuffix(" parameters")] == count


@pytest.mark.parametrize("key", COMPARED)
def test_a_norm_is_said_to_depend_on_the_batch_if_another_case_changes_this_one(key: str) -> None:
    x = images()
    other = x.clone()
    other[1] *= 2
    depends = not torch.allclose(TORCH[key](x)[0], TORCH[key](other)[0], atol=1e-6)
    assert said(key, "Depends on the batch").startswith("yes" if depends else "no")


COUNTS = {
    "2 C": 2 * C,
    "2 for each value of an example: 2 C H W": 2 * C * H * W,
    "1 for each value of an example: C H W": C * H * W,
    "none; 2 C with affine=True": 0,
    "C lengths": C,
}


@pytest.mark.parametrize("key", MODULES)
def test_the_parameters_are_as_many_as_the_module_of_pytorch_has(key: str) -> None:
    count = sum(p.numel() for p in MODULES[key].parameters())
    assert COUNTS[said(key, "Parameters")] == count


def test_the_gain_starts_at_1_and_the_bias_at_0() -> None:
    for module in (nn.LayerNorm(C), nn.BatchNorm2d(C), nn.GroupNorm(2, C)):
        assert (module.weight == 1).all()
        assert (module.bias == 0).all()
    assert (nn.RMSNorm(C).weight == 1).all()


def test_instance_norm_has_a_gain_and_a_bias_for_each_channel_when_asked() -> None:
    assert "2 C with affine=True" in said("instance", "Parameters")
    assert sum(p.numel() for p in nn.InstanceNorm2d(C, affine=True).parameters()) == 2 * C


def test_weight_norm_adds_a_length_for_each_unit() -> None:
    plain = nn.Linear(INPUTS, C)
    before = sum(p.numel() for p in plain.parameters())
    after = sum(
        p.numel() for p in nn.utils.parametrizations.weight_norm(nn.Linear(INPUTS, C)).parameters()
    )
    assert after - before == COUNTS[said("weight", "Parameters")]


@pytest.mark.parametrize("key", COMPARED)
def test_a_norm_is_said_to_center_if_an_offset_of_all_numbers_leaves_no_trace(key: str) -> None:
    centers = torch.allclose(TORCH[key](images()), TORCH[key](images() + 5), atol=1e-3)
    assert said(key, "Centers") == ("yes" if centers else "no")


@pytest.mark.parametrize("key", MODULES)
def test_a_norm_is_said_to_do_the_same_at_inference_if_its_module_does(key: str) -> None:
    module, x = MODULES[key], images()
    trained = module.train()(x)
    same = torch.equal(trained, module.eval()(x))
    says = said(key, "Training vs. inference")
    assert says == (norms.ALONE if same else "batch statistics, then running averages")


def test_weight_norm_does_the_same_at_inference() -> None:
    module = nn.utils.parametrizations.weight_norm(nn.Linear(INPUTS, C))
    x = torch.randn(N, INPUTS)
    assert torch.equal(module.train()(x), module.eval()(x))
    assert said("weight", "Training vs. inference") == "the same: from the weights alone"


@pytest.mark.parametrize("key", COMPARED)
def test_a_norm_is_said_to_work_at_batch_1_if_a_case_alone_is_what_it_is_in_a_batch(
    key: str,
) -> None:
    alone, among = TORCH[key](images()[:1]), TORCH[key](images())[:1]
    works = torch.allclose(alone, among, atol=1e-5)
    assert said(key, "Works at batch 1").startswith("yes" if works else "not in training")


def test_batch_norm_refuses_one_case_without_places_and_is_instance_norm_with_them() -> None:
    assert said("batch", "Works at batch 1").endswith(
        "unless there are positions: then it is InstanceNorm"
    )
    with pytest.raises(ValueError, match="more than 1 value per channel"):
        F.batch_norm(images()[:1, :, 0, 0], None, None, training=True)
    x = images(1)
    torch.testing.assert_close(TORCH["batch"](x), TORCH["instance"](x))


def test_instance_norm_refuses_one_place() -> None:
    assert said("instance", "Works at batch 1") == "yes, with two positions or more"
    with pytest.raises(ValueError, match="more than 1 spatial element"):
        F.instance_norm(images()[:, :, :1, :1])


SETUPS = PROFILES.result.labels("setup")


def last(key: str, setup: str, depth: int) -> float:
    """The gradient at the last layer of a network of so many blocks."""
    at = {"setup": setup, "placement": key, "depth": depth, "layer": depth}
    return float(PROFILES.result.tensor("gradient", quartile=0.5, **at))


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("placement", [POST, PRE, PERI], ids=lambda p: p.key)
def test_the_gradient_at_the_last_layer_is_what_the_table_says(placement: Any, setup: str) -> None:
    few, many = placements.DEPTHS[0], placements.DEPTHS[-1]
    says = cell(placements.TABLE, placement.label, "Gradient before training")
    ratio = last(placement.key, setup, many) / last(placement.key, setup, few)
    if "within a third" in says:
        assert 2 / 3 < ratio < 4 / 3
    else:
        assert "less than half" in says
        assert ratio < 1 / 2


@pytest.mark.slow
@pytest.mark.parametrize("placement", [POST, PRE, PERI], ids=lambda p: p.key)
def test_the_residual_stream_is_what_the_table_says(placement: Any) -> None:
    [found] = sizes([placement.key], 64, InitializationExperiment(width=32)).values()
    stream = found.stream.mean(-1)[1:]
    says = cell(placements.TABLE, placement.label, "Residual stream before training")
    if says.startswith("the same length"):
        torch.testing.assert_close(stream, stream[:1].expand_as(stream), atol=1e-3, rtol=0)
    else:
        assert says.startswith("grows with depth")
        doubled = stream[[0, 1, 3, 7, 15, 31, 63]]
        assert (doubled.diff() > 0).all()
    added = torch.cat((found.attention, found.feed_forward)).flatten()
    has_one_length = torch.allclose(added, added[0], rtol=1e-3)
    assert has_one_length == says.endswith("additions of equal length")


def test_no_small_pre_ln_model_failed_and_a_warm_up_helps_post_ln() -> None:
    assert placements.failures(PRE, warmed=False).startswith("0 of")
    assert placements.failures(PRE, warmed=True).startswith("0 of")
    without, warmed = (int(placements.failures(POST, w).split()[0]) for w in (False, True))
    assert 0 < warmed < without


# Published models.


def published(label: str) -> models.PublishedModel:
    [found] = [model for model in models.PUBLISHED_MODELS if model.label == label]
    return found


@pytest.mark.parametrize(
    ("label", "key"),
    [("GPT-2", "gpt-2"), ("BERT", "bert"), ("T5", "t5"), ("Llama", "llama"), ("OLMo 2", "olmo-2")],
)
def test_a_published_model_has_the_norms_of_the_figure_that_counts_them(
    label: str, key: str
) -> None:
    model, counted = published(label), MODELS[key]
    assert model.norm == counted.norm
    assert (model.qk_norm != models.NONE) == counted.qk_norm
    placed = PLACEMENTS[counted.placement].label
    assert model.placement == (
        placed if label != "OLMo 2" else "after each sublayer, before the sum"
    )


def test_most_published_models_have_the_norm_before_the_sublayer() -> None:
    before = [model for model in models.PUBLISHED_MODELS if model.placement.startswith(PRE.label)]
    assert len(before) > len(models.PUBLISHED_MODELS) / 2


def test_only_norms_that_center_learn_a_bias() -> None:
    for model in models.PUBLISHED_MODELS:
        assert CATALOGUE[model.norm].center or "β" not in model.gain
        assert 1e-12 <= model.eps <= 1e-5


def test_a_gain_that_is_stored_less_1_is_the_same_norm() -> None:
    x, w = images()[0, :, 0], torch.randn(W, generator=torch.Generator().manual_seed(4))
    shifted = RMS.apply(x, "ND", eps=1e-6).y * (1 + w)
    torch.testing.assert_close(shifted, RMS.apply(x, "ND", gain=1 + w, eps=1e-6).y)


# Formulas.


@pytest.mark.parametrize("key", [key for key in CATALOGUE if key != "none"])
def test_every_formula_of_the_catalogue_is_on_the_page(key: str) -> None:
    norm = CATALOGUE[key]
    line = rf"- **{norm.label}**: $\displaystyle {norm.equation}${norm.note}"
    assert any(line in part.splitlines() for part in PAGE.parts if isinstance(part, str))


@pytest.mark.parametrize("placement", [POST, PRE, PERI], ids=lambda p: p.key)
def test_every_compared_placement_has_its_formula(placement: Any) -> None:
    assert f"**{placement.label}**: ${placement.equation}$" in TEXT


def test_the_derivative_of_layer_norm_is_the_one_printed() -> None:
    a = torch.randn(C, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    found = torch.autograd.functional.jacobian(lambda a: LAYER.apply(a, "D", eps=0.0).y, a)
    a_hat, sigma, eye = LAYER.apply(a, "D", eps=0.0).y, a.std(correction=0), torch.eye(C).double()
    printed = (eye - torch.outer(a_hat, a_hat) / C) @ (eye - torch.ones_like(eye) / C) / sigma
    torch.testing.assert_close(found, printed)


# Programs.


KINDS = {"plain": ("float32", 1e-5), "far": ("float32", 5e-3), "half": ("float16", 2e-2)}
"""The numbers that programs are called with, by kind: their format, and how close answers are.

Far ones have a mean of 3,000; of those in 16 bits one is 300, whose square they cannot hold."""


def drawn(kind: str = "plain") -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    shapes = {
        "table": (N, C),
        "images": (N, C, H, W),
        "inputs": (N, INPUTS),
        "direction": (C, INPUTS),
        "gain": (C,),
        "bias": (C,),
        "mean": (C,),
    }
    arrays = {name: random.normal(size=shape).astype("float32") for name, shape in shapes.items()}
    arrays["var"] = random.uniform(0.5, 2, C).astype("float32")
    if kind == "far":
        arrays |= {name: arrays[name] + np.float32(3_000) for name in ("table", "images")}
    if kind == "half":
        arrays["direction"][0] *= 300  # so is its length, whose square they cannot hold
        arrays["table"][0, 0] = arrays["images"][0, 0, 0, 0] = 300
    return {name: array.astype(KINDS[kind][0]) for name, array in arrays.items()}


CALLS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "batch": ("batch", ("table", "gain", "bias", ["mean", "var"], True)),
    "inference": ("batch", ("table", "gain", "bias", ["mean", "var"], False)),
    "layer": ("layer", ("table", "gain", "bias")),
    "rms": ("rms", ("table", "gain")),
    "group": ("group", ("images", 3, "gain", "bias")),
    "instance": ("instance", ("images", "gain", "bias")),
    "weight": ("weight", ("inputs", "direction", "gain", "bias")),
}
"""By what is tried: the program, and what it is called with, arrays by name."""


def expected(name: str, kind: str = "plain") -> Tensor:
    """What the core makes of the same numbers, in 64 bits."""
    a = {key: torch.from_numpy(array).double() for key, array in drawn(kind).items()}
    affine = {"gain": a["gain"], "bias": a["bias"]}
    wide = {key: value[:, None, None] for key, value in affine.items()}
    sums = a["inputs"] @ a["direction"].T
    results = {
        "batch": lambda: BATCH.apply(a["table"], "ND", **affine),
        "inference": lambda: BATCH.apply(a["table"], "ND", **affine, mean=a["mean"], var=a["var"]),
        "layer": lambda: LAYER.apply(a["table"], "ND", **affine),
        "rms": lambda: RMS.apply(a["table"], "ND", gain=a["gain"]),
        "group": lambda: group_norm(3).apply(a["images"], "NCHW", **wide),
        "instance": lambda: INSTANCE.apply(a["images"], "NCHW", **wide),
        "weight": lambda: WEIGHT.apply(sums, "ND", weight=a["direction"], eps=0.0, **affine),
    }
    return results[name]().y


def moved_averages() -> tuple[Tensor, Tensor]:
    """The running averages of PyTorch's module after the batch."""
    a = {key: torch.from_numpy(array.copy()) for key, array in drawn().items()}
    F.batch_norm(a["table"], a["mean"], a["var"], training=True, momentum=0.1)
    return a["mean"], a["var"]


def call(
    name: str, library: str, convert: Callable[[np.ndarray], Any], kind: str = "plain"
) -> tuple[Any, list[Any]]:
    """What a program answers, and the running averages that it was given."""
    program, arguments = CALLS[name]
    arrays = {key: convert(array) for key, array in drawn(kind).items()}
    running = [arrays["mean"], arrays["var"]]
    given = [running if isinstance(each, list) else arrays.get(each, each) for each in arguments]
    function = runpy.run_path(str(FOLDER / f"{program}_{library}_code.py"))[f"{program}_norm"]
    return function(*given), running


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("library", "convert"), [("pytorch", torch.from_numpy), ("numpy", np.copy)]
)
def test_a_program_answers_what_the_figures_are_computed_with(
    name: str, library: str, convert: Callable[[np.ndarray], Any], kind: str
) -> None:
    answer, running = call(name, library, convert, kind)
    assert torch.as_tensor(answer).numpy().dtype == KINDS[kind][0]
    assert_close_to(expected(name, kind), answer, kind)
    if (name, kind) == ("batch", "plain"):
        for found, right in zip(running, moved_averages(), strict=True):
            torch.testing.assert_close(torch.as_tensor(found), right)


def assert_close_to(right: Tensor, answer: Any, kind: str) -> None:
    found, close = torch.as_tensor(answer).double(), KINDS[kind][1]
    torch.testing.assert_close(found, right, atol=close, rtol=close)


IN_JAX = """
import json, runpy, sys
import jax.numpy as jnp
folder, calls, kinds = sys.argv[1], *map(json.loads, sys.stdin)
answers = {}
for kind, (dtype, given) in kinds.items():
    arrays = {name: jnp.array(values, dtype) for name, values in given.items()}
    for name, (program, arguments) in calls.items():
        function = runpy.run_path(f"{folder}/{program}_jax_code.py")[f"{program}_norm"]
        answer = function(*(
            [arrays[one] for one in each] if isinstance(each, list) else
            arrays[each] if isinstance(each, str) else each
            for each in arguments
        ))
        answer, running = answer if isinstance(answer, tuple) else (answer, ())
        assert answer.dtype == dtype, (name, answer.dtype)
        answers[f"{kind} {name}"] = [answer.tolist(), [each.tolist() for each in running]]
print(json.dumps(answers))
"""


@pytest.mark.slow
def test_the_programs_for_jax_answer_what_the_figures_are_computed_with() -> None:
    # JAX starts threads of its own, so it runs in a process of its own.
    kinds = {
        kind: (dtype, {name: array.tolist() for name, array in drawn(kind).items()})
        for kind, (dtype, _) in KINDS.items()
    }
    given = f"{json.dumps(CALLS)}\n{json.dumps(kinds)}"
    done = subprocess.run(
        [sys.executable, "-c", IN_JAX, str(FOLDER)],
        input=given,
        capture_output=True,
        text=True,
        check=True,
        env={"JAX_PLATFORMS": "cpu"},
    )
    answers = json.loads(done.stdout)
    for kind in KINDS:
        for name in CALLS:
            assert_close_to(expected(name, kind), answers[f"{kind} {name}"][0], kind)
    for found, right in zip(answers["plain batch"][1], moved_averages(), strict=True):
        torch.testing.assert_close(torch.tensor(found), right)


@pytest.mark.parametrize("key", COMPARED)
def test_every_norm_has_a_fold_with_a_program_for_each_library(key: str) -> None:
    label = CATALOGUE[key].label
    [fold] = [
        part for part in PAGE.parts if isinstance(part, Details) and part.title.startswith(label)
    ]
    for library in ("pytorch", "numpy", "jax"):
        program = (FOLDER / f"{key}_{library}_code.py").read_text(encoding="utf-8")
        assert program.strip() in fold.text


# Links.


def headings(page: Lesson) -> list[str]:
    """Addresses of a page's headings, as Streamlit makes them."""
    written = strip_marks((page.parent_dir / page.module / "text.md").read_text(encoding="utf-8"))
    heads = re.findall(r"^#{2,3} (.*)$", written, re.MULTILINE)
    return ["-".join(re.findall(r"[^\W_]+", head.lower())) for head in heads]


def is_there(address: str) -> bool:
    """Whether an address within the book leads to a page, a figure or a heading."""
    slug, _, place = address.partition("#")
    page = find_page(slug)
    if page is None:
        return False
    figure = place.removeprefix("figure-")
    return (
        not place
        or (place != figure and page.figure(figure) is not None)
        or place in headings(page)
    )


def cells() -> list[ComparisonCell]:
    return [each for table in PAGE.tables for row in table.rows for each in row.cells]


def test_every_cell_leads_to_a_figure() -> None:
    assert cells()
    for each in cells():
        assert "#figure-" in each.figure
        assert is_there(each.figure), each.figure


def test_every_source_of_a_cell_is_a_paper_a_models_code_or_a_figure_that_names_papers() -> None:
    for each in cells():
        if each.source:
            there = each.source.url
            assert there.startswith(("https://arxiv.org/abs/", models.CODE)) or is_there(there)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.slug)
def test_every_link_of_a_page_to_the_reference_or_from_it_leads_somewhere(page: Lesson) -> None:
    written = (page.parent_dir / page.module / "text.md").read_text(encoding="utf-8")
    links = [link for link in LINK.findall(written) if not link.startswith(("https:", "#"))]
    lost = [link for link in links if not is_there(link)]
    assert not [link for link in lost if page is PAGE or link.startswith("reference")]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_every_lesson_links_some_of_its_words_to_the_glossary(lesson: Lesson) -> None:
    written = (lesson.parent_dir / lesson.module / "text.md").read_text(encoding="utf-8")
    links = [link for link in LINK.findall(written) if link.startswith("reference#")]
    assert links
    assert len(set(links)) == len(links), "a word is linked where it is first used, once"


def test_no_two_headings_share_an_address() -> None:
    assert len(set(headings(PAGE))) == len(headings(PAGE))


def test_the_glossary_is_in_the_order_of_the_alphabet() -> None:
    words = re.findall(r"^### (.*)$", TEXT.partition("## Glossary")[2], re.MULTILINE)
    assert words == sorted(words, key=str.lower)


def test_every_question_is_answered_with_a_figure() -> None:
    asked = TEXT.partition("## Questions people ask")[2].partition("## Glossary")[0]
    questions = asked.split("### ")[1:]
    assert 8 <= len(questions) <= 12
    for question in questions:
        assert question.partition("\n")[0].endswith("?")
        assert "#figure-" in question


@pytest.mark.parametrize("table", PAGE.tables, ids=lambda table: table.name)
def test_a_table_says_of_each_cell_how_else_it_is_known(table: ComparisonTable) -> None:
    _, *rows = table_html(table).split("<tr>")[1:]
    for row, written in zip(table.rows, rows, strict=True):
        said = re.findall(r"<small>(cited|not measured here)", written)
        each = [cell.evidence for cell in row.cells if cell.evidence != "measured here"]
        assert said in (each, sorted(set(each)))


def test_a_norm_named_in_the_table_has_the_color_of_that_norm() -> None:
    named: list[Norm] = [CATALOGUE[row.color] for row in norms.TABLE.rows]
    assert [norm.label for norm in named] == [row.label for row in norms.TABLE.rows]
