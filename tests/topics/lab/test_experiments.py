"""What can be trained: its cases, its models, and what is refused."""

from dataclasses import replace

import pytest
import torch

from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.digits import WeightNormed, network
from lnviz.topics.transformer.documentation import encode, text
from lnviz.training.experiment import Experiment, SpecificationError, TrainingSpec
from tests.topics.lab.making import WITH_CASES

each_experiment = pytest.mark.parametrize("experiment", WITH_CASES.values(), ids=WITH_CASES)


@each_experiment
def test_the_default_can_be_run(experiment: Experiment) -> None:
    experiment.check(experiment.default)
    assert TrainingSpec.from_dict(experiment.default.to_dict()) == experiment.default


@pytest.mark.parametrize("name", ["digits", "images", "sequences"])
def test_no_case_is_in_two_parts(name: str) -> None:
    data = EXPERIMENTS[name].data()
    parts = [part.x.flatten(1) for part in (data.train, data.validation, data.test)]
    assert sum(map(len, parts)) == 1797
    assert len(torch.cat(parts).unique(dim=0)) == 1797
    for part in (data.validation, data.test):
        assert part.targets.bincount().min() >= 34


def test_no_passage_is_in_two_parts() -> None:
    data = EXPERIMENTS["text"].data()
    assert data.train.x.shape[1:] == data.train.targets.shape[1:] == (16,)
    assert torch.equal(data.train.x[5, 1:], data.train.targets[5, :-1])
    codes = encode(text())
    first = len(data.train.x) + 16  # the characters that are learned from
    second = round(0.95 * len(codes))
    assert torch.equal(data.train.targets[-1], codes[first - 16 : first])
    for part, begin, end in ((data.validation, first, second), (data.test, second, len(codes))):
        assert torch.equal(part.x[0], codes[begin : begin + 16])
        assert torch.equal(part.targets[-1], codes[end - 16 : end])


@each_experiment
def test_every_norm_gives_a_model_of_its_own(experiment: Experiment) -> None:
    x = experiment.data().train.x[:4]
    found = []
    for norm in experiment.norms:
        torch.manual_seed(0)
        model = experiment.build(norm, "plain")
        found.append(experiment.logits(model(x)))
        assert found[-1].isfinite().all()
    same = [
        (experiment.norms[a], experiment.norms[b])
        for a in range(len(found))
        for b in range(a)
        if torch.allclose(found[a], found[b])
    ]
    # It starts as the plain network does.
    assert same == ([("weight", "none")] if "weight" in experiment.norms else [])


def test_the_paper_put_batchnorm_before_the_softmax_and_no_other_norm() -> None:
    def kinds(norm: str, head: str) -> list[str]:
        return [type(part).__name__ for part in network(norm, head)]

    assert kinds("batch", "paper") == [*kinds("batch", "plain"), "BatchNorm1d"]
    assert kinds("layer", "paper") == kinds("layer", "plain")


def test_weightnorm_is_pytorchs() -> None:
    ours = WeightNormed(5, 3)
    theirs = torch.nn.Linear(5, 3)
    theirs.load_state_dict({n: p for n, p in ours.state_dict().items() if n != "gain"})
    theirs = torch.nn.utils.parametrizations.weight_norm(theirs)
    x = torch.randn(4, 5, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        ours.gain.mul_(2)
        theirs.parametrizations.weight.original0.mul_(2)
    torch.testing.assert_close(ours(x), theirs(x))


@pytest.mark.parametrize("document", [{}, {"norms": 3}, {"unknown": 1}])
def test_what_is_no_specification_is_refused(document: dict[str, object]) -> None:
    with pytest.raises(SpecificationError, match="not a training specification"):
        TrainingSpec.from_dict(document)


def test_every_reason_is_given() -> None:
    digits = EXPERIMENTS["digits"]
    with pytest.raises(SpecificationError) as caught:
        digits.check(replace(digits.default, norms=("foo",), rates=(-1.0,), seeds=(), steps=True))
    assert len(str(caught.value).splitlines()) == 4


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"batch_sizes": ()}, "Batch sizes must not be empty"),
        ({"batch_sizes": ("4",)}, "A batch size must be a whole number from 1 to 1078, but got 4"),
        (
            {"steps": "many"},
            "A number of steps must be a whole number from 1 to 100000, but got many",
        ),
        ({"norms": (["layer"],)}, "has no norm"),
        ({"seeds": (-1,)}, "A seed must be a whole number from 0 to 2147483647, but got -1"),
        ({"rates": (0.1, 0.1)}, "The rates must differ"),
        ({"file": "0a"}, "has its own data and reads no file, but got one. Leave the file out"),
        ({"file": None}, "has its own data and reads no file, but got one. Leave the file out"),
    ],
)
def test_values_of_any_kind_are_refused_in_words(changes: dict[str, object], sentence: str) -> None:
    digits = EXPERIMENTS["digits"]
    with pytest.raises(SpecificationError, match=sentence):
        digits.check(replace(digits.default, **changes))  # type: ignore[arg-type]


def test_a_document_without_a_file_is_of_none() -> None:
    document = EXPERIMENTS["digits"].default.to_dict()
    del document["file"]
    assert TrainingSpec.from_dict(document) == EXPERIMENTS["digits"].default


def test_learning_rates_share_what_their_seeds_draw() -> None:
    digits = EXPERIMENTS["digits"]
    most = replace(digits.default, seeds=(0, 1), steps=100_000, batch_sizes=(100,))
    digits.check(replace(most, rates=(0.01, 0.001, 0.0001)))
    with pytest.raises(SpecificationError) as caught:
        digits.check(replace(most, seeds=(0, 1, 2)))
    assert str(caught.value) == (
        "The runs draw 30,000,000 examples, more than 20,000,000. Ask for fewer steps or seeds, "
        "or for smaller batches."
    )


@each_experiment
def test_what_a_model_learns_is_counted(experiment: Experiment) -> None:
    for norm in experiment.norms:
        model = experiment.build(norm, "plain")
        expected = sum(parameter.numel() for parameter in model.parameters())
        assert experiment.parameter_count(experiment.default, norm) == expected


def test_more_numbers_than_memory_is_kept_for_are_not_learned_at_once() -> None:
    mnist = WITH_CASES["mnist"]
    most = replace(mnist.default, norms=("none", "layer"), rates=(0.001,))
    mnist.check(replace(most, seeds=tuple(range(5))))
    with pytest.raises(SpecificationError) as caught:
        mnist.check(replace(most, seeds=tuple(range(6))))
    assert str(caught.value) == (
        "The runs of a norm have 10,788,060 parameters in all, more than 10,000,000. Ask for "
        "fewer learning rates or seeds."
    )
