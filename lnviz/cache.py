"""Where this machine keeps what it can make again."""

import os
from pathlib import Path

import platformdirs

VARIABLE = "LNVIZ_CACHE"


def folder() -> Path:
    """Return the folder: what `LNVIZ_CACHE` names, or this user's folder for caches."""
    return Path(os.environ.get(VARIABLE) or platformdirs.user_cache_path("lnviz"))
