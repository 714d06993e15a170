from pathlib import Path

import pytest

from lnviz.explorable import Explorable
from tests.lessons.running import built


@pytest.fixture(scope="module")
def figure(request: pytest.FixtureRequest) -> Explorable:
    """The figure that a test file is named after, at rest."""
    file = Path(request.path)
    name = file.stem.removeprefix("test_").replace("_", "-")
    return built(file.parent.name.replace("_", "-"), name)
