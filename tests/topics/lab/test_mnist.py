"""MNIST from a visitor's file: how it is divided, what is learned from it, what is refused."""

from dataclasses import replace
from hashlib import sha256

import pytest
import torch

from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.mnist import network, read
from lnviz.training.experiment import DataSplits, Experiment, SpecificationError
from lnviz.training.group import RunGroup
from tests.topics.lab.making import FILE, WITH_CASES, mnist_file

MNIST = WITH_CASES["mnist"]


def test_no_image_is_in_two_parts() -> None:
    data = MNIST.data()
    parts = [part.x for part in (data.train, data.validation, data.test)]
    assert [len(part) for part in parts] == [275, 25, 100]
    assert len(torch.cat(parts).unique(dim=0)) == 400
    assert all(part.shape[1:] == (784,) for part in parts)


def test_each_image_keeps_its_digit() -> None:
    digits = EXPERIMENTS["digits"].data()
    known = {
        tuple((15 * 16 * image).int().tolist()): int(target)
        for part in (digits.train, digits.validation, digits.test)
        for image, target in zip(part.x, part.targets, strict=True)
    }
    data = MNIST.data()
    for part in (data.train, data.validation, data.test):
        small = part.x.unflatten(1, (28, 28))[:, 3:-3:3, 3:-3:3].flatten(1).int()
        found = [known[tuple(image)] for image in small.tolist()]
        assert found == part.targets.tolist()


def test_a_file_is_always_divided_alike() -> None:
    first, second = read(FILE), read(FILE)
    for name in ("train", "validation", "test"):
        one, other = getattr(first, name), getattr(second, name)
        assert torch.equal(one.x, other.x)
        assert torch.equal(one.targets, other.targets)


def test_mnist_is_divided_as_in_the_paper() -> None:
    data = read(mnist_file(train=600))
    # a hundredth of its 60,000 images: 55,000 and 5,000
    assert (len(data.train.x), len(data.validation.x)) == (550, 50)


def test_pixels_are_bytes_in_memory_and_from_0_to_1_in_the_network() -> None:
    x = MNIST.data().train.x
    assert x.dtype == torch.uint8
    torch.testing.assert_close(network("none")[0](x), x / 255)


def test_the_network_is_the_papers() -> None:
    sizes = [p.out_features for p in network("layer") if isinstance(p, torch.nn.Linear)]
    assert sizes == [1000, 1000, 10]
    names = [name for name, _ in network("batch", "paper").named_children()]
    assert names == ["pixels", *map(str, range(8))]


@pytest.mark.slow
def test_it_learns() -> None:
    wanted = replace(MNIST.default, norms=("layer",), steps=30, every=30)
    group = RunGroup(MNIST, wanted, "layer", 128)
    first, last = (point for point in group.train() if point)
    assert (first.validation_error > 0.7).all()
    assert (last.validation_error < 0.3).all()
    assert (group.test().error < 0.3).all()


def test_without_a_file_it_asks_for_one() -> None:
    mnist = EXPERIMENTS["mnist"]
    for ask in (mnist.data, lambda: mnist.check(mnist.default)):
        with pytest.raises(SpecificationError) as caught:
            ask()
        assert str(caught.value).startswith(
            "A fully connected network for MNIST learns from a file that you upload, but got none. "
            "Upload "
        )


def test_the_default_names_the_file_that_is_given() -> None:
    assert MNIST.default.file == sha256(FILE).hexdigest()
    assert EXPERIMENTS["mnist"].default.file == ""


@pytest.mark.parametrize(("asked", "said"), [("", "no file"), ("0123456789", "file 01234567")])
def test_another_file_than_the_one_given_is_refused(asked: str, said: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        MNIST.check(replace(MNIST.default, file=asked))
    assert str(caught.value) == (
        f"A fully connected network for MNIST has the data of file {MNIST.default.file[:8]}, but "
        f"the specification names {said}. Use the same file in both."
    )


def test_a_file_that_cannot_be_read_is_refused_with_the_readers_sentence() -> None:
    with pytest.raises(SpecificationError, match=r"^The file does not begin like a \.npz file\. "):
        EXPERIMENTS["mnist"].with_file(b"nothing of the kind")


def test_an_experiment_with_cases_of_its_own_takes_no_file() -> None:
    with pytest.raises(SpecificationError, match="reads no file, but got one"):
        EXPERIMENTS["digits"].with_file(FILE)


def test_a_file_is_read_once() -> None:
    reads = []

    def counted(raw: bytes) -> DataSplits:
        reads.append(raw)
        return read(raw)

    mnist: Experiment = replace(EXPERIMENTS["mnist"], load_file=counted)
    one, same, other = (mnist.with_file(raw) for raw in (FILE, bytes(FILE), mnist_file(train=200)))
    assert len(reads) == 2
    assert one.data() is same.data()
    assert len(other.data().train.x) < len(one.data().train.x)
