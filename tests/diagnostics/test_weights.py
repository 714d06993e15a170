import json
import re

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from lnviz.__main__ import main
from lnviz.diagnostics import NormWatcher
from lnviz.diagnostics.weights import read_norm_parameters, weights_text
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
    assert weights_text(read_norm_parameters(path)).splitlines()[1].split()[-2:] == ["1", "1"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("model.pt", b"\x80\x04K\x01.", "ends neither in .safetensors nor in .gguf"),
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
    assert f"There is no browser here. Open {page} in one." in capsys.readouterr().err


def drawn(page):
    """The titles of a page's figures, without the model's name."""
    payloads = re.findall(r'id="payload-\d+">(.*?)</script>', page.read_text())
    return [json.loads(payload)["title"].split(": ")[-1] for payload in payloads]


def test_biases_alone_are_not_drawn(tmp_path, capsys):
    save_file({"norm.bias": torch.rand(4)}, tmp_path / "a.safetensors")
    with pytest.raises(SystemExit):
        main(["inspect", str(tmp_path / "a.safetensors"), "--html", str(tmp_path / "a.html")])
    assert "biases of norms, and no gains" in capsys.readouterr().err
