"""The Transformer of the lab: a cell of the table on /placement, trained by hand."""

from dataclasses import replace

import pytest
import torch

from lnviz.topics.lab.settings import describe_settings
from lnviz.topics.lab.text import TEXT, frequency_baseline
from lnviz.topics.transformer.documentation import text
from lnviz.topics.transformer.warmup import COMPARED, WARM_UPS, WarmupSpecification, compare
from lnviz.training.group import RunGroup

FEW = WarmupSpecification(
    layers=3, steps=4, warm_up=3, every=1, rates=(0.001, 0.01), seeds=(0, 1, 2)
)


@pytest.mark.slow
def test_runs_are_those_of_the_table_of_failures() -> None:
    table = compare(FEW, torch.device("cpu"), lambda *_: None)
    for key in COMPARED:
        for warm_up in WARM_UPS:
            wanted = replace(
                TEXT.default,
                norms=("layer",),
                batch_sizes=(FEW.batch,),
                rates=FEW.rates,
                seeds=FEW.seeds,
                steps=FEW.steps,
                every=1,
                placement=key,
                layers=FEW.layers,
                warm_up=FEW.warm_up if warm_up == "with" else 0,
            )
            TEXT.check(wanted)
            points = [p for p in RunGroup(TEXT, wanted, "layer", FEW.batch).train() if p]
            ours = torch.stack([point.loss for point in points[1:]], -1)  # R,steps
            theirs = table.tensor("curve", "rate", "seed", "step", placement=key, warm_up=warm_up)
            torch.testing.assert_close(ours, theirs.flatten(0, 1), rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Pre-LN, 2 layers"),
        ({"placement": "", "layers": 0}, "Pre-LN, 2 layers"),
        ({"placement": "post", "layers": 12, "warm_up": 200}, "Post-LN, 12 layers, warm-up of 200"),
        ({"layers": 1, "warm_up": 1}, "Pre-LN, 1 layer, warm-up of 1 step"),
        ({"norms": ("none",), "placement": "post"}, "2 layers"),
    ],
)
def test_settings_are_told_in_words(changes: dict[str, object], words: str) -> None:
    told = describe_settings(TEXT, replace(TEXT.default, **changes))  # type: ignore[arg-type]
    assert told.startswith(words)


@pytest.mark.slow
def test_the_likeliest_character_is_the_guess_of_who_counts() -> None:
    written = text()
    seen = written[: round(0.9 * len(written))]
    most = max(set(seen), key=seen.count)
    following = TEXT.data().validation.targets
    wrong = (following != sorted(set(written)).index(most)).sum().item()
    assert frequency_baseline()[1] == pytest.approx(wrong / following.numel())
