import os

import pytest
import torch
from hypothesis import HealthCheck, settings
from jaxtyping import install_import_hook

from tests import sharing

# Before the first import of lnviz, so that every shape in its signatures is checked. As for mypy,
# a whole number is a float.
install_import_hook("lnviz", "beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))")

# The suite runs in as many processes as there are cores; more threads wait for each other.
torch.set_num_threads(1)

# How long an example takes says more about the machine than about the code.
settings.register_profile(
    "lnviz",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
    print_blob=True,
)
settings.register_profile("quick", settings.get_profile("lnviz"), max_examples=10)
settings.load_profile("lnviz")


def pytest_configure(config: pytest.Config) -> None:
    if not _is_worker(config):
        sharing.begin()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not _is_worker(config):
        sharing.end()


def _is_worker(config: pytest.Config) -> bool:
    """Whether another process hands this one its tests."""
    return hasattr(config, "workerinput")
