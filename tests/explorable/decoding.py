import base64
import math
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt


def decode(document: dict[str, Any]) -> npt.NDArray[np.float64]:
    """A swept tensor's values, read from its payload the way the browser reads them."""
    planes = zlib.decompress(base64.b64decode(document["data"]))
    places = np.frombuffer(planes, np.uint8).reshape(
        document["bytes"], math.prod(document["shape"])
    )
    stored = np.ascontiguousarray(places.T)
    if document["decimals"] is None:
        return stored.view("<f4").reshape(document["shape"]).astype(np.float64)
    integers = stored.view(f"<i{document['bytes']}")
    axis = document["difference"]
    if axis is None:
        integers = integers.reshape(document["shape"])
    else:
        rest = [length for i, length in enumerate(document["shape"]) if i != axis]
        differences = integers.reshape(*rest, document["shape"][axis])
        sums = np.cumsum(differences, axis=-1, dtype=integers.dtype)
        integers = np.moveaxis(sums, -1, axis)
    missing = integers == np.iinfo(integers.dtype).min
    return np.where(missing, np.nan, integers / 10 ** document["decimals"])
