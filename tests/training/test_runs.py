"""Many runs at once, beside each alone."""

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from lnviz.training import Runs, concat_runs, initialize, predict, sample_batches, train

SEEDS, STEPS, BATCH = (3, 5, 8), 12, 4
X = torch.randn(20, 6, generator=torch.Generator().manual_seed(0))
TARGETS = X[:, :3].argmax(1)


class Normed(nn.Module):
    """A model with running statistics, remembered in place."""

    running: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.last = nn.Linear(6, 8, bias=False), nn.Linear(8, 3)
        self.register_buffer("running", torch.zeros(8))

    def forward(self, x: Tensor) -> Tensor:
        h = self.hidden(x)
        mean = h.mean(0) if self.training else self.running
        if self.training:
            with torch.no_grad():
                self.running.mul_(0.9).add_(mean, alpha=0.1)
        result: Tensor = self.last((h - mean).tanh())
        return result


def trained(seeds: tuple[int, ...]) -> tuple[Runs, Tensor]:
    runs = initialize(Normed, seeds)
    batches = [
        (X[d], TARGETS[d]) for d in sample_batches(seeds, len(X), steps=STEPS, batch_size=BATCH)
    ]
    return runs, torch.stack(list(train(runs, batches, rate=0.01)))


def test_runs_together_go_as_a_plain_loop_takes_each_alone() -> None:
    runs, losses = trained(SEEDS)
    for r, seed in enumerate(SEEDS):
        torch.manual_seed(seed)
        model = Normed()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for step, (draw,) in enumerate(
            sample_batches((seed,), len(X), steps=STEPS, batch_size=BATCH)
        ):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(X[draw]), TARGETS[draw])
            loss.backward()
            optimizer.step()
            assert_close(losses[step, r], loss.detach(), rtol=1e-4, atol=1e-5)
        for name, parameter in model.named_parameters():
            assert_close(runs.parameters[name][r], parameter, rtol=1e-3, atol=1e-4)
        assert_close(runs.buffers["running"][r], model.running, rtol=1e-3, atol=1e-4)
        assert_close(predict(runs, X)[r], model.eval()(X), rtol=1e-3, atol=1e-4)


def test_each_run_learns_at_rates_of_its_own() -> None:
    runs = initialize(Normed, SEEDS)
    batches = [
        (X[d], TARGETS[d]) for d in sample_batches(SEEDS, len(X), steps=STEPS, batch_size=BATCH)
    ]
    rates = torch.rand(STEPS, len(SEEDS), generator=torch.Generator().manual_seed(1)) / 50
    together = torch.stack(list(train(runs, batches, rate=rates)))
    for r, seed in enumerate(SEEDS):
        torch.manual_seed(seed)
        model = Normed()
        optimizer = torch.optim.Adam(model.parameters())
        for step, (x, targets) in enumerate(batches):
            optimizer.param_groups[0]["lr"] = rates[step, r].item()
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x[r]), targets[r])
            loss.backward()
            optimizer.step()
            assert_close(together[step, r], loss.detach(), rtol=1e-3, atol=1e-4)


def test_joined_runs_go_as_each_part_alone() -> None:
    def wide() -> Normed:
        model = Normed()
        with torch.no_grad():
            model.hidden.weight.mul_(3)
        return model

    runs = concat_runs([initialize(Normed, SEEDS), initialize(wide, SEEDS[:2])])
    drawn = sample_batches(runs.seeds, len(X), steps=STEPS, batch_size=BATCH)
    losses = torch.stack(list(train(runs, [(X[d], TARGETS[d]) for d in drawn], rate=0.01)))
    assert_close(losses[:, :3], trained(SEEDS)[1], rtol=1e-4, atol=1e-5)
    alone = initialize(wide, SEEDS[:2])
    batches = [(X[d], TARGETS[d]) for d in drawn[:, 3:]]
    assert_close(
        losses[:, 3:], torch.stack(list(train(alone, batches, rate=0.01))), rtol=1e-4, atol=1e-5
    )
    assert_close(runs.buffers["running"][3:], alone.buffers["running"], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    "parts", [[], [initialize(Normed, (0,)), initialize(lambda: nn.Linear(6, 3), (0,))]]
)
def test_runs_of_other_models_are_not_joined(parts: list[Runs]) -> None:
    with pytest.raises(
        ValueError, match=r"^Runs that train together must have the same model, but got param"
    ):
        concat_runs(parts)


def test_another_optimizer_takes_its_own_steps() -> None:
    runs = initialize(Normed, SEEDS)
    before = runs.parameters["last.weight"].detach().clone()
    batch = (X.expand(3, -1, -1), TARGETS.expand(3, -1))
    next(train(runs, [batch], rate=0.1, optimizer=torch.optim.SGD))
    weight = runs.parameters["last.weight"]
    assert_close(weight.detach(), before - 0.1 * weight.grad)


def test_a_run_does_not_see_which_others_there_are() -> None:
    _, together = trained(SEEDS)
    _, alone = trained(SEEDS[1:2])
    assert_close(together[:, 1:2], alone, rtol=1e-4, atol=1e-5)


def test_seeds_start_apart_and_training_lowers_the_loss() -> None:
    runs = initialize(Normed, SEEDS)
    weight = runs.parameters["hidden.weight"]
    assert not torch.equal(weight[0], weight[1])
    batches = [
        (X[d], TARGETS[d]) for d in sample_batches(SEEDS, len(X), steps=300, batch_size=BATCH)
    ]
    losses = torch.stack(list(train(runs, batches, rate=0.02)))
    assert (losses[-20:].mean(0) < 0.7 * losses[:20].mean(0)).all()


def test_starting_leaves_the_callers_random_numbers_alone() -> None:
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    initialize(Normed, SEEDS)
    assert torch.equal(torch.rand(3), expected)


def test_evaluation_changes_nothing() -> None:
    runs, _ = trained(SEEDS)
    before = {name: value.clone() for name, value in (runs.parameters | runs.buffers).items()}
    predict(runs, X)
    assert_close({**runs.parameters, **runs.buffers}, before)


def test_draws_cover_the_cases_and_differ_between_runs() -> None:
    drawn = sample_batches(SEEDS, 20, steps=50, batch_size=BATCH)
    assert drawn.shape == (50, 3, BATCH)
    assert set(drawn.flatten().tolist()) == set(range(20))
    assert not torch.equal(drawn[:, 0], drawn[:, 1])
    assert torch.equal(drawn[:, 2:], sample_batches(SEEDS[2:], 20, steps=50, batch_size=BATCH))


@pytest.mark.parametrize("seeds", [(), (1, 1)])
def test_runs_without_seeds_of_their_own_are_refused(seeds: tuple[int, ...]) -> None:
    with pytest.raises(
        ValueError, match="Runs need at least one seed, and all seeds must differ, but got"
    ):
        initialize(Normed, seeds)


@pytest.mark.parametrize(("cases", "steps", "batch"), [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_batches_of_nothing_are_refused(cases: int, steps: int, batch: int) -> None:
    with pytest.raises(ValueError, match=f"got {cases} examples, {steps} steps and"):
        sample_batches(SEEDS, cases, steps=steps, batch_size=batch)
