"""The PyTorch device for computations: CUDA where available, otherwise the CPU."""

import os

import torch

DEVICE_VARIABLE = "LNVIZ_DEVICE"


def device() -> torch.device:
    """Return the PyTorch device for computations: CUDA where available, otherwise the CPU.

    The environment variable `LNVIZ_DEVICE`, if set, selects another device.

    Returns:
        The device, for example `cpu` or `cuda:1`.

    Raises:
        ValueError: `LNVIZ_DEVICE` is not a device of this machine.

    >>> os.environ["LNVIZ_DEVICE"] = "cpu"
    >>> device()
    device(type='cpu')
    >>> del os.environ["LNVIZ_DEVICE"]
    """
    cuda = [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    name = os.environ.get(DEVICE_VARIABLE, "").strip()
    if not name:
        return torch.device("cuda" if cuda else "cpu")
    allowed = ["cpu", *(["cuda"] if cuda else []), *cuda]
    if name not in allowed:
        raise ValueError(
            f"{DEVICE_VARIABLE} must name a device of this machine, but got {name!r}. Set it to "
            f"one of {', '.join(allowed)}, or unset it."
        )
    return torch.device(name)
