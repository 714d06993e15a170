"""A group of runs: each as it would be by itself, interrupted or not."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.digits import NORMS
from lnviz.training import sample_batches
from lnviz.training.experiment import Experiment, TrainingSpec
from lnviz.training.group import RunGroup, StepMetrics
from tests.topics.lab.making import WITH_CASES


def of_experiments(*kinds: str) -> pytest.MarkDecorator:
    """Run a test for each of these experiments and norms."""
    pairs = [kind.split("-") for kind in kinds]
    given = [
        pytest.param(
            *(WITH_CASES[name], norm),
            id=f"{name}-{norm}",
            marks=[pytest.mark.slow] * (name != "digits"),
        )
        for name, norm in pairs
    ]
    return pytest.mark.parametrize(("experiment", "norm"), given)


STATEFUL = ("digits-batch", "sequences-batch", "images-group", "text-layer")
"""One of each kind of network, where there is one with running statistics."""


def small(experiment: Experiment, norm: str, **changes: object) -> TrainingSpec:
    given = {"norms": (norm,), "batch_sizes": (4,), "seeds": (0, 1, 2), "steps": 6, "every": 4}
    return replace(experiment.default, **(given | changes))


def trained(group: RunGroup) -> list[StepMetrics]:
    return [point for point in group.train() if point]


def losses_alone(experiment: Experiment, specification: TrainingSpec, norm: str) -> Tensor:
    """Those of one model trained by PyTorch as its manual says."""
    (seed,), (rate,), (size,) = specification.seeds, specification.rates, specification.batch_sizes
    torch.manual_seed(seed)
    model = experiment.build(norm, specification.head)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    train = experiment.data().train
    losses = []
    for (draw,) in sample_batches(
        (seed,), len(train.x), steps=specification.steps, batch_size=size
    ):
        optimizer.zero_grad()
        loss = experiment.loss(model(train.x[draw]), train.targets[draw])
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


@of_experiments(*STATEFUL, *(f"digits-{norm}" for norm in NORMS if norm != "batch"))
def test_a_run_among_others_is_the_run_alone(experiment: Experiment, norm: str) -> None:
    wanted = small(experiment, norm, steps=4, every=1)
    points = trained(RunGroup(experiment, wanted, norm, 4))
    ours = torch.stack([point.loss[1] for point in points[1:]])
    theirs = losses_alone(experiment, replace(wanted, seeds=(1,)), norm)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_a_run_has_its_own_rate() -> None:
    digits = EXPERIMENTS["digits"]
    both = RunGroup(digits, small(digits, "layer", rates=(0.001, 0.01)), "layer", 4)
    assert both.rates == (0.001,) * 3 + (0.01,) * 3
    assert both.seeds == (0, 1, 2, 0, 1, 2)
    points = trained(both)
    alone = trained(RunGroup(digits, small(digits, "layer", rates=(0.01,)), "layer", 4))
    for ours, theirs in zip(points, alone, strict=True):
        torch.testing.assert_close(
            ours.validation_loss[3:], theirs.validation_loss, rtol=0, atol=1e-5
        )


@pytest.mark.parametrize("rates", [(0.01,), (0.001, 0.01)])
def test_a_rate_rises_over_the_warm_up(rates: tuple[float, ...]) -> None:
    digits = EXPERIMENTS["digits"]
    wanted = small(digits, "layer", rates=rates, warm_up=3, every=1)
    points = trained(RunGroup(digits, wanted, "layer", 4))
    torch.manual_seed(1)
    model = digits.build("layer", "plain")
    optimizer = torch.optim.Adam(model.parameters())
    train, losses = digits.data().train, []
    drawn = sample_batches((1,), len(train.x), steps=6, batch_size=4)[:, 0]
    for factor, draw in zip((1 / 3, 2 / 3, 1, 1, 1, 1), drawn, strict=True):
        optimizer.param_groups[0]["lr"] = factor * rates[-1]
        optimizer.zero_grad()
        loss = digits.loss(model(train.x[draw]), train.targets[draw])
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    ours = torch.stack([point.loss[-2] for point in points[1:]])
    torch.testing.assert_close(ours, torch.stack(losses), rtol=0, atol=1e-5)


def test_a_group_that_is_interrupted_in_its_warm_up_goes_on_with_it() -> None:
    digits = EXPERIMENTS["digits"]
    wanted = small(digits, "layer", warm_up=6)
    whole = trained(RunGroup(digits, wanted, "layer", 4))
    first, second = (RunGroup(digits, wanted, "layer", 4) for _ in range(2))
    for _ in zip(range(4), first.train(), strict=False):
        pass
    second.restore(first.save())
    assert torch.equal(trained(second)[-1].validation_loss, whole[-1].validation_loss)


def test_no_point_is_measured_twice_wherever_a_group_is_interrupted() -> None:
    digits = EXPERIMENTS["digits"]
    wanted = small(digits, "layer")
    for taken in range(8):  # a point before the first step, then six steps
        first, second = (RunGroup(digits, wanted, "layer", 4) for _ in range(2))
        points = [point for _, point in zip(range(taken), first.train(), strict=False)]
        second.restore(first.save())
        points += second.train()
        assert [point.step for point in points if point] == [0, 4, 6]


@of_experiments(*STATEFUL, "digits-weight")
def test_an_interrupted_group_goes_on_as_if_nothing_had_been(
    experiment: Experiment, norm: str
) -> None:
    wanted = small(experiment, norm)
    whole = trained(RunGroup(experiment, wanted, norm, 4))
    first = RunGroup(experiment, wanted, norm, 4)
    for _ in zip(range(4), first.train(), strict=False):
        pass
    second = RunGroup(experiment, wanted, norm, 4)
    second.restore(first.save())
    rest = trained(second)
    assert [point.step for point in whole] == [0, 4, 6]
    assert [point.step for point in rest] == [4, 6]
    for ours, theirs in zip(rest, whole[1:], strict=True):
        assert torch.equal(ours.loss, theirs.loss)
        assert torch.equal(ours.validation_loss, theirs.validation_loss)


def test_a_state_of_another_group_is_refused() -> None:
    digits = EXPERIMENTS["digits"]
    two = RunGroup(digits, small(digits, "layer", seeds=(0, 1)), "layer", 4)
    three = RunGroup(digits, small(digits, "layer"), "layer", 4)
    with pytest.raises(ValueError, match="belongs to other runs"):
        three.restore(two.save())


def test_a_divergence_is_a_result_and_stays_alone() -> None:
    digits = EXPERIMENTS["digits"]
    wanted = small(digits, "none")
    group, healthy = (RunGroup(digits, wanted, "none", 4) for _ in range(2))
    with torch.no_grad():
        group.runs.parameters["0.weight"][1] = torch.inf
    last, expected = trained(group)[-1], trained(healthy)[-1]
    assert last.validation_loss.isfinite().tolist() == [True, False, True]
    torch.testing.assert_close(
        last.validation_loss[[0, 2]], expected.validation_loss[[0, 2]], rtol=0, atol=1e-5
    )


def test_measurements_are_of_the_whole_part() -> None:
    digits = EXPERIMENTS["digits"]
    group = RunGroup(digits, small(digits, "batch"), "batch", 4)
    last = trained(group)[-1]
    valid = digits.data().validation
    torch.manual_seed(1)
    model = digits.build("batch", "plain")
    model.load_state_dict(
        {n: v[1] for n, v in {**group.runs.parameters, **group.runs.buffers}.items()}
    )
    model.eval()
    scores = model(valid.x)
    expected = torch.nn.functional.cross_entropy(scores, valid.targets)
    torch.testing.assert_close(last.validation_loss[1], expected.detach())
    wrong = (scores.argmax(-1) != valid.targets).float().mean()
    torch.testing.assert_close(last.validation_error[1], wrong)


def test_the_loss_is_the_mean_since_the_point_before() -> None:
    digits = EXPERIMENTS["digits"]
    often = trained(RunGroup(digits, small(digits, "layer", every=1), "layer", 4))
    seldom = trained(RunGroup(digits, small(digits, "layer"), "layer", 4))
    losses = torch.stack([point.loss for point in often[1:]])
    assert seldom[0].loss.isnan().all()
    torch.testing.assert_close(seldom[1].loss, losses[:4].mean(0))
    torch.testing.assert_close(seldom[2].loss, losses[4:].mean(0))


def test_scales_are_those_of_the_layers() -> None:
    digits = EXPERIMENTS["digits"]
    first = trained(RunGroup(digits, small(digits, "weight", steps=1), "weight", 4))[0].scales
    assert list(first["activations"]) == ["0", "3", "6"]
    torch.manual_seed(2)
    model = digits.build("weight", "plain")
    valid = digits.data().validation.x[:128]
    rms = model[0](valid).square().mean().sqrt().detach()
    torch.testing.assert_close(first["activations"]["0"][2], rms)
    assert isinstance(model[0], torch.nn.Linear)
    torch.testing.assert_close(first["gains"]["0"][2], model[0].weight.norm(dim=1).mean().detach())
    assert not any(bool(g.any()) for g in first["gradients"].values())
