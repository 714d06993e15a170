import json
import math
import os
import re
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from lnviz.__main__ import READER_LEFT, main
from lnviz.diagnostics import NormWatcher
from lnviz.diagnostics.weights import (
    NormParameter,
    gain_convention,
    read_norm_parameters,
    verdicts,
    weights_text,
)
from lnviz.pretrained import SMOLLM2
from lnviz.pretrained.stored_records import stored_records
from tests.diagnostics.models import Reader, read


def test_a_file_of_weights_gives_gains_and_biases_of_norms_alone(tmp_path):
    path = tmp_path / "model.safetensors"
    names = ("h.0.ln_1.weight", "h.0.ln_1.bias", "model.norm.weight", "normalizer.matrix", "lnear")
    shapes = ((4,), (4,), (4,), (4, 4), (4,))
    held = zip(names, shapes, strict=True)
    save_file({name: torch.rand(shape) for name, shape in held}, path)
    assert {one.name for one in read_norm_parameters(path)} == set(names[:3])


@pytest.mark.skipif(not SMOLLM2.is_installed(), reason="needs `make models`")
def test_a_gguf_file_gives_gains_of_norms_alone(tmp_path):
    import gguf  # which `make models` installs

    writer = gguf.GGUFWriter(tmp_path / "model.gguf", "llama")
    gains = np.array([1.0, -2.0, 0.5], np.float32)
    writer.add_tensor("blk.0.attn_norm.weight", gains)
    writer.add_tensor("blk.0.attn_q.weight", np.ones((32, 32), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    (found,) = read_norm_parameters(tmp_path / "model.gguf")
    assert found.name == "blk.0.attn_norm.weight"
    assert torch.equal(found.values, torch.from_numpy(gains))


@pytest.mark.long  # the names of its 49,000 tokens are read one by one
@pytest.mark.skipif(not SMOLLM2.is_installed(), reason="needs `make models`")
def test_the_gains_of_smollm2_are_those_of_the_lesson():
    found = {one.name: one.values for one in read_norm_parameters(SMOLLM2.paths()[0])}
    assert len(found) == 61
    expected = stored_records("smollm2").gains
    torch.testing.assert_close(found["blk.12.attn_norm.weight"], expected[24], rtol=1e-3, atol=1e-4)


def test_the_table_counts_what_is_below_0_and_nearly_off(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"norm.weight": torch.tensor([4.0, -4.0, 0.3, 8.0, 4.0])}, path)
    assert weights_text(read_norm_parameters(path)).splitlines()[3].split()[-2:] == ["1", "1"]


def verdict(tensors, name):
    """The verdicts on a tensor of a file."""
    return verdicts([NormParameter(each, torch.tensor(held)) for each, held in tensors.items()])[
        name
    ]


GEMMA = {f"layers.{n}.norm.weight": [0.2, -0.1, 0.3, -0.2, 0.05, -0.4] for n in range(4)}
LLAMA = {f"layers.{n}.norm.weight": [0.4, 0.5, 0.45, 0.6] for n in range(4)}


@pytest.mark.parametrize(
    ("tensors", "convention"),
    [(GEMMA, "1 + w"), (LLAMA, "w"), ({"norm.weight": [0.0, 0.0]}, "unknown")],
)
def test_the_convention_of_gains_is_told_from_their_values(tensors, convention):
    held = [NormParameter(name, torch.tensor(values)) for name, values in tensors.items()]
    assert gain_convention(held) == convention


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("norm.weight", [1.0, math.nan, 1.0, math.nan], "2 of 4 NaN"),
        ("norm.weight", [0.5, math.inf], "1 of 2 infinite"),
        ("norm.weight", [1e-4, 2e-4, 1e-4], "collapsed: the median factor is 1 × 10⁻⁴"),
        ("norm.weight", [0.0, 0.0], "all 0: nothing passes, unless the model computes 1 + w"),
        ("norm.weight", [45.0, 45.0], "100 times the median of the model's norms"),
        ("norm.weight", [0.0225, 0.0225], "20 times below the median of the model's norms"),
        ("bn.running_mean", [0.0, 0.0], "all 0, as before training"),
        ("bn.running_var", [1.0, 1.0], "all 1, as before training"),
        ("bn.running_var", [1.0, 1e-14], "1 of 2 channels never change"),
        ("bn.running_var", [1.0, -1.0], "1 of 2 below 0: no variances"),
    ],
)
def test_a_sick_tensor_gets_its_verdict(name, values, expected):
    assert verdict(LLAMA | {name: values}, name) == (expected,)


def test_healthy_tensors_get_no_verdict():
    healthy = LLAMA | {"bn.running_mean": [0.1, -0.2], "bn.running_var": [0.9, 2.0]}
    assert not any(verdict(healthy, name) for name in healthy)
    assert not any(verdict(GEMMA, name) for name in GEMMA)


def test_a_batchnorm_is_known_by_its_running_statistics(tmp_path):
    path = tmp_path / "resnet.safetensors"
    model = nn.Sequential()
    model.add_module("bn1", nn.BatchNorm2d(4))
    model.add_module("fc", nn.Linear(4, 4))
    save_file(model.state_dict(), path)
    found = {one.name: one.role for one in read_norm_parameters(path)}
    assert found == {
        "bn1.bias": "bias",
        "bn1.running_mean": "running mean",
        "bn1.running_var": "running variance",
        "bn1.weight": "gain",
    }


def test_a_model_in_several_files_is_read_by_its_index(tmp_path):
    shards = {"model-1.safetensors": "a.norm.weight", "model-2.safetensors": "b.norm.weight"}
    for file, name in shards.items():
        save_file({name: torch.ones(4), name.replace("norm", "up"): torch.ones(4)}, tmp_path / file)
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {name: file for file, name in shards.items()}}))
    assert [one.name for one in read_norm_parameters(index)] == list(shards.values())
    (tmp_path / "model-2.safetensors").unlink()
    with pytest.raises(ValueError, match=r"it lists model-2\.safetensors, which is missing"):
        read_norm_parameters(index)
    index.write_text(json.dumps({"weight_map": {"a": "../secret.safetensors"}}))
    with pytest.raises(ValueError, match="a file in another folder"):
        read_norm_parameters(index)
    index.write_text("[]")
    with pytest.raises(ValueError, match="is damaged"):
        read_norm_parameters(index)


def test_the_command_prints_json(tmp_path, capsys):
    path = tmp_path / "a.safetensors"
    save_file({"norm.weight": torch.tensor([1.0, math.nan]), "norm.bias": torch.ones(2)}, path)
    main(["inspect", str(path), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["gains_stored_as"] == "w"
    gain = {one["role"]: one for one in document["tensors"]}["gain"]
    assert gain == {
        "name": "norm.weight",
        "role": "gain",
        "values": 2,
        "median": 1.0,
        "least": 1.0,
        "most": 1.0,
        "below_0": 0,
        "nearly_off": 0,
        "not_finite": 1,
        "verdicts": ["1 of 2 NaN"],
    }


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("model.pt", b"\x80\x04K\x01.", "must have the extension .safetensors"),
        ("model.safetensors", b"\xff" * 20, "is damaged"),
        ("other.safetensors", None, "There is no file"),
    ],
)
def test_another_file_gets_a_sentence(tmp_path, capsys, name, content, says):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(SystemExit):
        main(["inspect", str(tmp_path / name)])
    assert says in capsys.readouterr().err


@pytest.mark.slow
def test_the_commands_print_and_draw_weights_and_runs(tmp_path, capsys, monkeypatch):
    weights, run, page = (tmp_path / name for name in ("a.safetensors", "run.lnviz", "page.html"))
    save_file({"norm.weight": torch.rand(4), "norm.bias": torch.rand(4)}, weights)
    assert main(["inspect", str(weights), "--html", str(page)]) == 0
    assert "norm.weight" in capsys.readouterr().out
    assert drawn(page) == ["The learned gains of every norm"]
    model = Reader()
    with NormWatcher(model) as watched:
        read(model).backward()
    watched.save(run)
    assert main(["show", str(run)]) == 0
    assert capsys.readouterr().out == f"{watched.report()}\n"
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    assert main(["show", str(run), "--html", str(page), "--open"]) == 0
    assert opened == [page.as_uri()]
    assert len(drawn(page)) == 4
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    with pytest.raises(SystemExit):
        main(["show", str(run), "--html", str(page), "--open"])
    assert f"No browser was found here. Open {page} in a browser." in capsys.readouterr().err


def drawn(page):
    """The titles of a page's figures, without the model's name."""
    payloads = re.findall(r'id="payload-\d+">(.*?)</script>', page.read_text())
    return [json.loads(payload)["title"].split(": ")[-1] for payload in payloads]


def test_biases_alone_are_not_drawn(tmp_path, capsys):
    save_file({"norm.bias": torch.rand(4)}, tmp_path / "a.safetensors")
    with pytest.raises(SystemExit):
        main(["inspect", str(tmp_path / "a.safetensors"), "--html", str(tmp_path / "a.html")])
    assert "biases of norms, but no gains" in capsys.readouterr().err


def test_a_reader_that_stops_early_ends_the_program_without_a_message(
    tmp_path, monkeypatch, capsys
):
    path = tmp_path / "a.safetensors"
    save_file({"norm.weight": torch.ones(4)}, path)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["inspect", str(path)]) == READER_LEFT
    assert capsys.readouterr().err == ""
