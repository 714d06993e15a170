"""Each fault is found where it was planted, and nothing else; healthy models are silent."""

import warnings
from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lnviz.book import find_figure
from lnviz.book.practice import PAGE
from lnviz.diagnostics import NormWatcher, Run
from lnviz.diagnostics.findings import FIGURES, NOTE, SURE, SYMPTOMS, WARNING
from lnviz.diagnostics.norm_statistics import SUMS
from lnviz.diagnostics.rules import RULES
from lnviz.pretrained import PACKAGES, load
from lnviz.pretrained.stored_records import stored_records
from tests.diagnostics.models import WIDTH, OwnRMS, Reader, look, pictures, read, train

Fault = Callable[[], tuple[nn.Module, Callable[[nn.Module], Tensor]]]


def seen(model: nn.Module, loss: Callable[[nn.Module], Tensor]) -> Run:
    with NormWatcher(model) as watched:
        value = loss(model)
        if value.requires_grad:
            value.backward()
    return watched.run


@torch.no_grad()
def changed(model: nn.Module, change: Callable[[nn.Module], object]) -> nn.Module:
    change(model)
    return model


def large_epsilon():
    model = Reader()
    model.blocks[1].second.eps = 10.0
    return model, read


def squares_beyond_half():
    parts = nn.Linear(8, WIDTH), OwnRMS(WIDTH, narrow=True), nn.Linear(WIDTH, 2)
    return nn.Sequential(*parts).half(), lambda model: model(1000 * torch.randn(4, 8).half()).sum()


def infinite_weight():
    spoiled = changed(Reader(), lambda m: m.blocks[1].inner[2].weight[0, 0].fill_(torch.inf))
    return spoiled, read


def one_number_a_group():
    model = nn.Sequential(nn.Linear(8, 16), nn.GroupNorm(16, 16), nn.ReLU(), nn.Linear(16, 2))
    return model, lambda model: model(torch.randn(16, 8)).sum()


def massive_component():
    return changed(Reader(), lambda m: m.embedding.weight[:, 7].add_(500)), read


def small_gain():
    return changed(Reader(), lambda m: m.blocks[1].first.weight.fill_(1e-3)), read


def large_gain():
    return changed(Reader(), lambda m: m.blocks[1].first.weight[5].fill_(400.0)), read


def post_norm_without_warm_up():
    model = Reader(12, pre=False)
    train(model, partial(read, examples=8), steps=20, lr=3e-3)
    return model, read


def grown_stream():
    return changed(Reader(4), lambda m: m.blocks[0].inner[2].weight.mul_(2000)), read


def few_examples():
    return pictures(), partial(look, examples=2)


def lost_statistics():
    """Trained weights without the running statistics."""
    model = pictures()
    train(model, look, steps=3)
    model[1].reset_running_stats()
    model[4].reset_running_stats()
    return model.eval(), look


def still_statistics():
    model = pictures()
    model[1].momentum = model[4].momentum = 0.0
    return model, look


def other_data():
    model = pictures()
    train(model, look, steps=60)
    return model.eval(), partial(look, shift=6.0)


def training_mode():
    return pictures(), torch.no_grad()(look)


def last_axis_of_images():
    parts = nn.Conv2d(3, 8, 3, padding=1), nn.LayerNorm(16), nn.ReLU(), nn.Flatten()
    return nn.Sequential(*parts, nn.Linear(8 * 256, 10)), look


def steps_for_channels():
    model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(32, 2))
    return model, lambda model: model(torch.randn(16, 12, 8)).sum()


def padded_places():
    def loss(model):
        lengths = torch.arange(4, 20)
        sounds = torch.randn(16, 3, 24) * (torch.arange(24) < lengths[:, None])[:, None]
        return model(sounds).square().sum()

    return nn.Sequential(nn.Conv1d(3, 8, 3, padding=1), nn.BatchNorm1d(8), nn.ReLU()), loss


def decayed_gains():
    model = Reader()
    gains = [p for n, p in model.named_parameters() if p.dim() == 1 and "weight" in n]
    optimizer = torch.optim.AdamW(gains, lr=1e-3, weight_decay=100.0)
    for _ in range(40):
        optimizer.zero_grad()
        read(model).backward()
        optimizer.step()
    return model, read


def two_in_a_row():
    model = Reader()
    model.final = nn.Sequential(nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH))
    return model, read


def rows_of_zeros(width=WIDTH):
    x = torch.randn(8, width).half()
    x[3] = 0
    return x


def no_epsilon_left():
    """A norm in float16 whose epsilon is 0 there, and a row of zeros."""
    norm = OwnRMS(WIDTH, narrow=True)
    norm.variance_epsilon = 1e-12
    parts = nn.Identity(), norm, nn.Linear(WIDTH, WIDTH), OwnRMS(WIDTH)
    return nn.Sequential(*parts).half(), lambda m: m(rows_of_zeros()).sum()


def epsilon_that_is_0():
    model, _ = no_epsilon_left()
    return model, lambda m: m(torch.randn(8, WIDTH).half()).sum()


def squares_that_vanish():
    parts = nn.Identity(), OwnRMS(WIDTH, narrow=True)
    return nn.Sequential(*parts).half(), lambda m: m(2e-3 * torch.randn(8, WIDTH).half()).sum()


def two_values():
    model = nn.Sequential(nn.Linear(8, 2), nn.LayerNorm(2), nn.Linear(2, 2))
    return model, lambda m: m(torch.randn(16, 8)).sum()


def two_values_in_a_group():
    model = nn.Sequential(nn.Linear(8, 32), nn.GroupNorm(16, 32), nn.ReLU(), nn.Linear(32, 2))
    return model, lambda m: m(torch.randn(16, 8)).sum()


def wide_gains():
    model = nn.Sequential(nn.Linear(8, WIDTH), OwnRMS(WIDTH), nn.Identity()).to(torch.bfloat16)
    model[1].float()
    return model, lambda m: m(torch.randn(16, 8).to(torch.bfloat16)).sum()


def over_tokens():
    model = nn.Sequential(nn.Linear(8, WIDTH), nn.LayerNorm([12, WIDTH]), nn.Linear(WIDTH, 2))
    return model, lambda m: m(torch.randn(4, 12, 8)).sum()


def last_axis_of_sounds():
    model = nn.Sequential(nn.Conv1d(3, 8, 3, padding=1), nn.LayerNorm(24), nn.ReLU())
    return model, lambda m: m(torch.randn(16, 3, 24)).sum()


def rows_for_channels():
    def loss(model):
        with warnings.catch_warnings(action="ignore"):  # PyTorch's own, on num_features
            return model(torch.randn(12, 8)).sum()

    return nn.Sequential(nn.Linear(8, 16), nn.InstanceNorm1d(16), nn.Linear(16, 2)), loss


def frozen_backbone():
    model = pictures()
    model[:6].requires_grad_(False)
    return model, look


def frozen_gains():
    model = pictures()
    model[1].requires_grad_(False)
    return model, look


def untracked():
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16, track_running_stats=False))
    return model.eval(), lambda m: m(torch.randn(16, 8)).sum()


class OnePlus(OwnRMS):
    """RMSNorm as Gemma has it."""

    def forward(self, hidden_states):
        x = F.rms_norm(hidden_states, hidden_states.shape[-1:], eps=self.variance_epsilon)
        return x * (1 + self.weight)


def one_added_twice():
    return Reader(norm=OnePlus), read


def one_left_out():
    def ported(model):
        for module in model.modules():
            if isinstance(module, OwnRMS):
                module.weight.normal_(0, 0.06)

    return changed(Reader(norm=OwnRMS), ported), read


def gains_of_nothing():
    def ported(model):
        for module in model.modules():
            if isinstance(module, OwnRMS):
                module.weight.zero_()

    return changed(Reader(norm=OwnRMS), ported), read


def spoiled_gain():
    return changed(Reader(), lambda m: m.blocks[1].first.weight[5].fill_(torch.nan)), read


def padded_on_the_left():
    model, _ = padded_places()

    def loss(model):
        there = torch.arange(24) >= torch.arange(4, 20)[:, None]
        return model(torch.randn(16, 3, 24) * there[:, None]).square().sum()

    return model, loss


def flattened_padding():
    def loss(model):
        there = torch.arange(24) < torch.arange(4, 20)[:, None]
        return model((torch.randn(16, 24, 8) * there[..., None]).flatten(0, 1)).square().sum()

    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16)), loss


def shifted_stream():
    return changed(Reader(), lambda m: m.embedding.weight.add_(4)), read


PLANTED = [
    (no_epsilon_left, "nan", "1"),
    (spoiled_gain, "nan", "blocks.1.first"),
    (epsilon_that_is_0, "underflow", "1"),
    (squares_that_vanish, "underflow", "1"),
    (two_values, "sign", "1"),
    (two_values_in_a_group, "sign", "1"),
    (wide_gains, "dtype", "1"),
    (over_tokens, "axis", "1"),
    (last_axis_of_sounds, "axis", "1"),
    (rows_for_channels, "axis", "1"),
    (frozen_backbone, "frozen", "1"),
    (frozen_gains, "frozen", "1"),
    (untracked, "tracking", "1"),
    (one_added_twice, "convention", "final"),
    (one_left_out, "convention", "final"),
    (gains_of_nothing, "convention", "final"),
    (padded_on_the_left, "padding", "1"),
    (flattened_padding, "padding", "1"),
    (large_epsilon, "epsilon", "blocks.1.second"),
    (squares_beyond_half, "overflow", "1"),
    (infinite_weight, "overflow", "blocks.2.first"),
    (one_number_a_group, "constant", "1"),
    (massive_component, "component", "blocks.0.first"),
    (small_gain, "gain", "blocks.1.first"),
    (large_gain, "gain", "blocks.1.first"),
    (post_norm_without_warm_up, "gradient", "blocks.11.first"),
    (grown_stream, "stream", "blocks.1.first"),
    (few_examples, "batch", "1"),
    (lost_statistics, "running", "1"),
    (still_statistics, "running", "1"),
    (other_data, "running", "1"),
    (training_mode, "mode", "1"),
    (last_axis_of_images, "axis", "1"),
    (steps_for_channels, "axis", "1"),
    (padded_places, "padding", "1"),
    (decayed_gains, "decay", "blocks.0.first"),
    (two_in_a_row, "double", "final.1"),
    (shifted_stream, "mean", "blocks.0.first"),
]


CERTAIN = {
    "nan", "epsilon", "overflow", "underflow", "sign", "component", "frozen", "tracking", "double",
    "mean",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plant", "kind", "place"), PLANTED, ids=lambda p: getattr(p, "__name__", p)
)
def test_a_fault_is_found_at_its_place_and_nothing_else(plant, kind, place):
    torch.manual_seed(0)
    found = seen(*plant()).findings
    assert [finding.kind for finding in found] == [kind], list(map(str, found))
    certain = kind in CERTAIN or plant in (one_number_a_group, lost_statistics, still_statistics)
    assert (found[0].certainty == SURE) == certain
    assert place in (found[0].module, *found[0].other_modules)
    assert (found[0].level == NOTE) == (kind in ("component", "mean"))
    assert str(found[0]).startswith(f"{kind} at ")
    for part in (found[0].reason, found[0].remedy):
        assert part[0].isupper()
        assert part.count(". ") == 0
        assert part.endswith(".")


def test_every_kind_has_a_planted_fault_a_rule_and_a_figure():
    assert {kind for _, kind, _ in PLANTED} == set(RULES) == set(FIGURES) == set(SYMPTOMS)
    for address in FIGURES.values():
        lesson, figure = address.removeprefix("/").split("#figure-")
        assert find_figure(lesson, figure), address
    assert set(SYMPTOMS.values()) <= {part.name for part in PAGE.optional_sections}


HEALTHY = {
    "pictures": (pictures, look),
    "Pre-LN": (Reader, read),
    "Post-LN": (partial(Reader, pre=False), read),
    "deep Post-LN": (partial(Reader, 12, pre=False), read),
    "own RMSNorm": (partial(Reader, norm=OwnRMS), read),
}


@pytest.mark.slow
@pytest.mark.parametrize("steps", [0, 30])
@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_found_in_a_healthy_model(name, steps):
    torch.manual_seed(0)
    make, loss = HEALTHY[name]
    model = make()
    train(model, loss, steps)
    assert seen(model, loss).findings == ()
    if steps:
        assert seen(model.eval(), torch.no_grad()(loss)).findings == ()


@pytest.mark.skipif(
    not all(package.is_installed() for package in PACKAGES.values()), reason="needs `make models`"
)
@pytest.mark.slow
@pytest.mark.parametrize(("key", "component"), [("smollm2", 507), ("minilm", 99)])
def test_a_published_model_has_the_lessons_numbers_and_no_fault(key, component):
    model = load(key)
    record = stored_records(key).sentence_records[0]
    with NormWatcher(model.network) as watched:
        model.run(model.ids(record.text))
    (note,) = watched.findings
    assert (note.kind, note.level) == ("component", NOTE)
    assert f"Component {component} of group 0" in note.reason
    for name, part in (("x_rms", record.x_rms), ("y_rms", record.y_rms)):
        seen = torch.stack([norm.details[name] for norm in watched.norms.values()])
        torch.testing.assert_close(seen, torch.tensor(part), rtol=2e-3, atol=1e-4)
    which = torch.stack([norm.details["which"] for norm in watched.norms.values()])
    assert (which[..., 0] == torch.tensor(record.largest)[..., 0]).float().mean() > 0.99


@pytest.mark.parametrize(
    "start", [lambda gains: gains, nn.init.zeros_, lambda gains: nn.init.normal_(gains, 0.1, 0.1)]
)
def test_statistics_of_a_fresh_model_in_evaluation_are_a_note(start):
    """Some models begin with gains of 0 at the end of a branch, others with random ones."""
    model = changed(pictures(), lambda m: start(m[4].weight)).eval()
    (note,) = [f for f in seen(model, look).findings if f.kind == "running"]
    assert note.level == NOTE


@pytest.mark.parametrize("steps", [0, 1, 40])
def test_branches_that_begin_with_gains_of_0_are_no_ported_weights(steps):
    """As in Swin Transformer V2, trained or not: gains of both signs beside gains around 1."""

    class Branch(nn.Module):
        def __init__(self):
            super().__init__()
            self.map, self.norm = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
            nn.init.zeros_(self.norm.weight)

        def forward(self, x):
            return x + self.norm(self.map(x).relu())

    torch.manual_seed(0)
    parts = [Branch(), Branch(), nn.LayerNorm(WIDTH), Branch(), Branch(), nn.LayerNorm(WIDTH)]
    model = nn.Sequential(nn.Linear(8, WIDTH), *parts, nn.Linear(WIDTH, 2))

    def loss(model):
        x = torch.randn(32, 8)
        return F.cross_entropy(model(x), (x[:, 0] > x[:, 1]).long())

    train(model, loss, steps)
    found = seen(model, loss).findings
    assert [finding.kind for finding in found if finding.level == WARNING] == []
    assert ("convention" in [finding.kind for finding in found]) == (steps > 0)


def test_a_stream_that_hardly_matters_beside_a_second_norm_is_still_read():
    """As in CPUBone: the second norm divides by so little that the stream's gradient is small."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.map, self.inner = nn.Linear(8, WIDTH), nn.Linear(WIDTH, WIDTH)
            self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            nn.init.constant_(self.first.weight, 2e-3)

        def forward(self, x):
            stream = self.first(self.map(x))
            return stream + self.inner(self.second(stream))

    def loss(model):
        return (model(torch.randn(16, 8)) * torch.randn(16, WIDTH)).sum()

    found = seen(Model(), loss).findings
    assert [finding.kind for finding in found if finding.kind == "double"] == []


@torch.no_grad()
def test_a_trained_batch_norm_evaluates_a_single_example_without_a_finding():
    norm = nn.BatchNorm1d(8)
    for _ in range(60):
        norm(torch.randn(32, 8))
    small = nn.Sequential(nn.Identity(), norm.eval())
    assert seen(small, lambda m: m(torch.randn(1, 8))).findings == ()
    padded = torch.zeros(4, 8, 12)
    padded[..., :1] = torch.randn(4, 8, 1)
    assert [finding.kind for finding in seen(small, lambda m: m(padded)).findings] == ["running"]


def test_a_second_norm_on_a_stream_that_is_read_elsewhere_is_no_fault():
    """As in BLOOM, CLIP and Swin: the first norm's output is the residual stream."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.map, self.first, self.second = (
                nn.Linear(8, WIDTH),
                nn.LayerNorm(WIDTH),
                nn.LayerNorm(WIDTH),
            )

        def forward(self, x):
            stream = self.first(self.map(x))
            return stream + self.second(stream).relu()

    def loss(model):
        return model(torch.randn(16, 8)).square().sum()

    assert seen(Model(), loss).findings == ()
    with torch.no_grad():
        (note,) = seen(Model(), loss).findings
    assert (note.kind, note.level) == ("double", NOTE)
    assert "Remove" not in note.remedy


def test_a_head_of_zeros_and_a_deep_pre_ln_model_are_not_blamed_for_their_gradients():
    model = changed(Reader(6), lambda m: (m.out.weight.zero_(), m.out.bias.zero_()))
    assert [(f.kind, f.level) for f in seen(model, read).findings] == [("gradient", NOTE)]


class Sublayers(nn.Module):
    """Sublayers with a norm after each sum, or before each, or on both sides of each branch."""

    def __init__(self, placement, scale=1.0):
        super().__init__()
        self.placement, self.scale = placement, scale
        self.maps = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(4))
        self.others = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(4))

    def forward(self, x):
        for change, norm, other in zip(self.maps, self.norms, self.others, strict=True):
            if self.placement == "post":
                x = norm(self.scale * x + F.dropout(change(x).relu(), 0.1))
            elif self.placement == "pre":
                x = self.scale * x + change(norm(x)).relu()
            else:
                x = x + other(change(norm(x)).relu())
        return x


@pytest.mark.parametrize("scale", [1.0, 0.7])
@pytest.mark.parametrize(("placement", "sums"), [("post", 3), ("pre", 0), ("both", 0)])
def test_post_ln_is_told_from_pre_ln_by_what_its_norms_read(placement, sums, scale):
    model = Sublayers(placement, scale)
    x = 1 * torch.randn(4, WIDTH, requires_grad=True)
    norms = seen(model, lambda m: m(x).sum()).norms.values()
    assert sum(SUMS in norm.facts for norm in norms) == sums


@pytest.mark.slow
def test_a_fault_that_begins_late_is_told_with_its_pass():
    model = Reader()
    with NormWatcher(model) as watched:
        for step in range(20):
            if step == 16:
                model.embedding.weight.data.mul_(1e-3)
            read(model).backward()
    (finding,) = watched.findings
    assert (finding.kind, finding.module) == ("epsilon", "blocks.0.first")
    assert finding.reason.startswith("Since pass 16: ")
