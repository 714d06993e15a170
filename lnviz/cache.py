"""The user's cache directory, for files that can be downloaded or computed again."""

import os
from pathlib import Path

import platformdirs

CACHE_VARIABLE = "LNVIZ_CACHE"


def cache_directory() -> Path:
    """Return the cache directory: `LNVIZ_CACHE` if set, otherwise the user's cache directory."""
    return Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_path("lnviz"))
