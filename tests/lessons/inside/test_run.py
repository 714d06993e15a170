import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from lnviz.data.uploads import MAX_BYTES, UploadError
from lnviz.diagnostics import Finding, NormWatcher, Run, example
from lnviz.diagnostics.example import example as seen
from lnviz.explorable import ExpiredDataError, ParameterError
from lnviz.lessons.inside import run, uploaded_run, watch_report
from lnviz.topics.transformer import POST, PRE
from tests.lessons.running import texts


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run.lnviz"
    seen(POST.key).save(path)
    return path.read_bytes()


def altered(content, **arrays):
    """A file in which arrays are others; None leaves one out."""
    with np.load(io.BytesIO(content)) as file:
        held = {name: arrays.get(name, file[name]) for name in {*file.files, *arrays}}
    out = io.BytesIO()
    np.savez(out, **{name: values for name, values in held.items() if values is not None})
    return out.getvalue()


@pytest.mark.slow
def test_the_examples_are_one_transformer_without_a_warm_up():
    post, pre = (seen(key).norms for key in (POST.key, PRE.key))
    assert len(post) == 2 * example.SHAPE.layers
    assert len(pre) == len(post) + 1  # the final norm
    assert {len(norm.calls["call"]) for norm in post.values()} == {example.STEPS}


def test_gradients_of_the_post_ln_example_grow_and_those_of_pre_ln_stay():
    def last(key):
        sizes = [float(norm.calls["gradient_out"][-1]) for norm in seen(key).norms.values()]
        return torch.tensor(sizes[: 2 * example.SHAPE.layers])

    post, pre = last(POST.key), last(PRE.key)
    assert post[-1] > 100 * post[0]
    assert pre.max() < 5 * pre.min()


def test_the_figure_says_what_was_found_and_shows_the_run():
    found = run.build()
    assert 'gradient at "blocks.11' in texts(found)
    assert "Nothing was found in 25 norms." in texts(run.build(PRE.key))
    state = found.state_at(norm=3.0, column=len(found.controls[-1].columns) - 1)
    calls = list(seen(POST.key).norms.values())[3].calls
    assert float(found.lookup("x", state)) == pytest.approx(float(calls["gradient_out"][-1]))


def watched(model, *, backward):
    """The run of a small model with a sick norm."""
    with NormWatcher(model) as watching:
        y = model(torch.randn(16, 8, generator=torch.manual_seed(0)))
        if backward:
            y.square().sum().backward()
    return watching.run


@pytest.mark.slow
def test_a_run_opens_at_its_worst_finding():
    layers = [nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8)) for _ in range(6)]
    model = nn.Sequential(*layers)
    nn.init.constant_(layers[2][1].weight[:1], 1e-6)
    layers[2][1].weight.data[1:] = 1e-4
    for backward in (False, True):
        found = watched(model, backward=backward)
        assert found.findings[0].module == "2.1"
        assert found.findings[0].kind in ("gain", "decay")
        assert run.worst_figure(found) == "gains"
        figure = run._start_at_worst(watch_report.report_figure(found, "gains"), found)
        (norms,) = (control for control in figure.controls if control.name == "norm")
        assert norms.names[int(norms.start)] == "2.1"


def test_a_healthy_run_opens_at_its_first_figure():
    model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 8), nn.LayerNorm(8))
    found = watched(model, backward=False)
    assert found.findings == ()
    assert run.worst_figure(found) == "stream"


def test_warnings_are_emphasized_and_notes_are_not(monkeypatch):
    warning, note = (
        Finding("norm", "gain", level, 1.0, f"A {level}.", "", "certain")
        for level in ("warning", "note")
    )
    monkeypatch.setattr(Run, "findings", (warning, note))
    found = replace(seen(PRE.key))  # without the findings that it has computed
    assert [shown.style for shown in run._found(found)] == ["verdict", "note"]
    page = found._repr_html_()
    assert (
        "<li><strong>gain at &quot;norm&quot; (warning, certain): A warning. </strong> (see "
        in page
    )
    assert "<li>gain at &quot;norm&quot; (note, certain): A note.  (see " in page


@pytest.mark.slow
def test_a_run_that_is_brought_is_kept_and_shown(content):
    assert (
        uploaded_run.parse_named_run("run.lnviz", content).norms.keys()
        == seen(POST.key).norms.keys()
    )
    name = uploaded_run.store_run(content, "somebody", "somewhere")
    for option in run.SHOWN.options:
        shown, same = (run.build(each, option.value).payload() for each in (name, POST.key))
        assert shown == same
    with pytest.raises(ExpiredDataError, match="Upload it again"):
        run.build("run.another")


@pytest.mark.slow
def test_a_run_without_gradients_says_what_it_needs(content):
    without = np.full(
        len(uploaded_run.parse_named_run("a", content).result.axes["row"]), np.nan, np.float32
    )
    less = altered(content, gradient_in=without, gradient_out=without)
    name = uploaded_run.store_run(less, "somebody", "somewhere")
    with pytest.raises(ParameterError, match=r"Call backward\(\) inside the block") as refused:
        run.build(name, "gradients")
    assert refused.value.nearest == {"seen": "stream"}


def test_names_with_braces_are_no_fields_of_a_sentence():
    norms = seen(POST.key).result
    axes = {**norms.axes, "norm": tuple(f"{{x}}<b>{at}" for at in range(len(norms.axes["norm"])))}
    found = list(run._found(replace(seen(POST.key), result=replace(norms, axes=axes))))
    pieces = found[0].payload()["pieces"]
    assert "".join(pieces).startswith('gradient at "{x}<b>')  # no field is among them


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("empty", r"is empty \(0 bytes\)"),
        ("table", "is not a run that this page can read"),
        ("pickle", "is not a run that this page can read"),
        ("bomb", "is not a run that this page can read"),
        ("header", "is not a run that this page can read"),
        ("cut", "is not a run that this page can read"),
        ("objects", "is not a run that this page can read"),
        ("nested", "is not a run that this page can read"),
        ("large", "more than the limit of 20 MB"),
    ],
)
def test_what_is_no_run_gets_a_sentence(content, name, says):
    bad = {
        "empty": b"",
        "table": altered(content, header=None),
        "pickle": b"\x80\x04K\x01.",
        "bomb": _bomb(),
        "header": altered(content, header=np.zeros(4, np.uint8)),
        "cut": content[: len(content) // 2],
        "objects": _objects(),
        "nested": altered(content, header=np.frombuffer(b"[" * 200_000, np.uint8)),
        "large": bytes(MAX_BYTES + 1),
    }
    with pytest.raises(UploadError, match=says):
        uploaded_run.parse_named_run("run.lnviz", bad[name])


def _bomb():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", bytes(MAX_BYTES + 1))
    return out.getvalue()


def _objects():
    out = io.BytesIO()
    np.savez(out, header=np.array([{}], object))
    return out.getvalue()


@pytest.mark.parametrize("seed", range(5))
def test_whatever_numbers_a_run_has_it_is_refused_or_shown(content, seed):
    draws = np.random.default_rng(seed)
    with np.load(io.BytesIO(content)) as file:
        names = [name for name in file.files if name != "header"]
        chosen = draws.choice(names, 12, replace=False)
        odd = np.array([0, -1, 1e-30, 1e30, np.nan, np.inf, -np.inf, 7], np.float32)
        arrays = {
            name: draws.choice(odd, file[name].shape)
            if file[name].dtype.kind == "f"
            else draws.integers(0, 4, file[name].shape).astype(file[name].dtype)
            for name in chosen
        }
    try:
        found = uploaded_run.parse_named_run("run.lnviz", altered(content, **arrays))
    except UploadError:
        return
    assert found.report()
    assert watch_report.report_figures(found)
    for drawn in watch_report.report_figures(found).values():
        assert json.dumps(drawn.payload(), allow_nan=False)
