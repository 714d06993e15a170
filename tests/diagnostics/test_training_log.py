"""A training run is logged pass by pass, and stopped by the findings that it names."""

import csv
import math

import pytest
import torch
from torch import nn

import lnviz
from lnviz.diagnostics import NormFaultError, NormWatcher
from lnviz.diagnostics.training_log import COLUMNS, LOGGED
from tests.diagnostics.models import Reader, read
from tests.diagnostics.models import train as optimize

X = torch.randn(4, 16, generator=torch.Generator().manual_seed(0))


def small():
    return nn.Sequential(nn.Linear(16, 16), nn.LayerNorm(16), nn.ReLU(), nn.LayerNorm(16))


def train(model, steps):
    for step in range(1, steps + 1):
        model(step * X).square().sum().backward()


class Writer:
    """TensorBoard's `SummaryWriter`, as far as it is called."""

    def __init__(self):
        self.scalars = []

    def add_scalar(self, tag, scalar_value, global_step):
        self.scalars.append((tag, scalar_value, global_step))


def test_a_csv_file_has_a_line_for_each_call_of_the_recorded_passes(tmp_path):
    path = tmp_path / "norms.csv"
    with lnviz.watch(small(), every=2, log=path) as watched:
        train(watched.model, 5)
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert tuple(lines[0]) == COLUMNS
    frame = watched.to_frame()
    assert [(int(line["pass"]), line["norm"]) for line in lines] == [
        (number, name) for number in (1, 3, 5) for name in ("1", "3")
    ]
    for name in LOGGED:
        written = [float(line[name]) for line in lines]
        assert written == pytest.approx(frame[name].tolist(), rel=1e-5)


def test_a_pass_is_written_when_the_next_begins(tmp_path):
    path, model = tmp_path / "norms.csv", small()
    with lnviz.watch(model, log=str(path)):
        train(model, 1)
        assert len(path.read_text().splitlines()) == 1
        train(model, 1)
        assert len(path.read_text().splitlines()) == 3
    assert len(path.read_text().splitlines()) == 5


def test_what_was_not_computed_is_left_empty(tmp_path):
    path, model = tmp_path / "norms.csv", small()
    with torch.no_grad(), lnviz.watch(model, log=path):
        model(X)
    with path.open(newline="", encoding="utf-8") as file:
        assert {line["gradient_out"] for line in csv.DictReader(file)} == {""}


def test_a_summary_writer_gets_the_same_numbers():
    writer, model = Writer(), small()
    with lnviz.watch(model, writer=writer) as watched:
        train(model, 2)
    frame = watched.to_frame()
    written = {(tag, step): value for tag, value, step in writer.scalars}
    assert len(written) == len(writer.scalars) == 4 * len(LOGGED)
    assert all(math.isfinite(value) for value in written.values())
    row = frame[(frame["norm"] == "3") & (frame["pass"] == 2)]
    assert written["norms/gradient_out/3", 2] == pytest.approx(float(row["gradient_out"].iloc[0]))


def test_a_log_that_cannot_be_written_is_listed_and_the_training_goes_on(tmp_path):
    class Broken(Writer):
        def add_scalar(self, tag, scalar_value, global_step):
            raise OSError("disk full")

    model = small()
    with lnviz.watch(model, writer=Broken()) as watched:
        train(model, 3)
    assert len(watched.to_frame()) == 6
    assert "not followed: the log: OSError: disk full" in watched.report()
    with pytest.raises(FileNotFoundError), lnviz.watch(model, log=tmp_path / "none" / "a.csv"):
        pass


@pytest.mark.parametrize("kinds", [("overflow",), "overflow"])
def test_a_finding_stops_the_training_where_it_is_named(kinds):
    model = small()

    def spoiled():
        with watched:
            train(model, 2)
            model[0].weight.data.fill_(torch.inf)
            train(model, 1)

    watched = lnviz.watch(model, raise_on=kinds)
    with pytest.raises(NormFaultError, match=r'^overflow at "1" ') as raised:
        spoiled()
    assert raised.value.finding.kind == "overflow"
    assert watched.to_frame()["pass"].max() == 3
    assert not model._forward_hooks


def test_other_findings_and_notes_do_not_stop_it():
    model = nn.Sequential(nn.Linear(16, 2), nn.LayerNorm(2))
    with lnviz.watch(model, raise_on=("overflow", "mean")) as watched:
        train(model, 3)
    assert [finding.kind for finding in watched.findings] == ["sign"]


@pytest.mark.slow
def test_a_finding_on_gradients_stops_it_at_the_next_pass():
    torch.manual_seed(0)
    model = Reader(12, pre=False)
    watched = NormWatcher(model, raise_on=("gradient",))
    with pytest.raises(NormFaultError, match=r"^gradient at ") as raised, watched:
        optimize(model, lambda m: read(m, 8), 40, 3e-3)
    assert raised.value.finding.kind == "gradient"


def test_an_unknown_finding_is_refused():
    with pytest.raises(
        ValueError, match=r"No kind of finding is called 'over'\. Choose from nan, "
    ):
        lnviz.watch(small(), raise_on=("over",))
