import re

import pytest
import torch

from lnviz.device import DEVICE_VARIABLE, device


@pytest.fixture
def cuda_devices(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> int:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: request.param)
    return request.param


@pytest.mark.parametrize(
    ("cuda_devices", "expected"), [(0, "cpu"), (2, "cuda")], indirect=["cuda_devices"]
)
@pytest.mark.parametrize("value", [None, "", " "])
def test_cuda_is_used_when_present_and_the_cpu_when_not(
    cuda_devices: int, expected: str, value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is None:
        monkeypatch.delenv(DEVICE_VARIABLE, raising=False)
    else:
        monkeypatch.setenv(DEVICE_VARIABLE, value)
    assert device() == torch.device(expected)


@pytest.mark.parametrize("cuda_devices", [2], indirect=True)
@pytest.mark.parametrize("name", ["cpu", "cuda", "cuda:1", " cuda:0 "])
def test_the_environment_decides(
    cuda_devices: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DEVICE_VARIABLE, name)
    assert device() == torch.device(name.strip())


@pytest.mark.parametrize(
    ("cuda_devices", "allowed"),
    [(0, "cpu"), (2, "cpu, cuda, cuda:0, cuda:1")],
    indirect=["cuda_devices"],
)
@pytest.mark.parametrize("name", ["gpu", "cuda:2", "CPU", "cuda:x", "meta"])
def test_a_name_of_no_device_here_is_an_error(
    cuda_devices: int, allowed: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DEVICE_VARIABLE, name)
    message = (
        f"LNVIZ_DEVICE must name a device of this machine, but got {name!r}. Set it to one of "
        f"{allowed}, or unset it."
    )
    with pytest.raises(ValueError, match=re.escape(message) + "$"):
        device()
