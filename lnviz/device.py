"""Where tensors live: CUDA when the machine has it, otherwise the CPU."""

import os

import torch

VARIABLE = "LNVIZ_DEVICE"


def device() -> torch.device:
    """Return the device on which tensors are computed.

    The environment variable `LNVIZ_DEVICE` decides when it is set; otherwise CUDA is used when
    present, and the CPU when not.

    Returns:
        The device, for example `cpu` or `cuda:1`.

    Raises:
        ValueError: `LNVIZ_DEVICE` names no device of this machine.

    >>> os.environ["LNVIZ_DEVICE"] = "cpu"
    >>> device()
    device(type='cpu')
    >>> del os.environ["LNVIZ_DEVICE"]
    """
    cuda = [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    name = os.environ.get(VARIABLE, "").strip()
    if not name:
        return torch.device("cuda" if cuda else "cpu")
    allowed = ["cpu", *(["cuda"] if cuda else []), *cuda]
    if name not in allowed:
        raise ValueError(
            f"{VARIABLE} must name a device of this machine, got {name!r}. "
            f"Set it to one of {', '.join(allowed)}, or unset it."
        )
    return torch.device(name)
