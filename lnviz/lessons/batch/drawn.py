"""Settings of the random batches in the noise and scatter figures: their sizes and their number."""

from __future__ import annotations

import math

from lnviz.data.examples import DIGIT_COUNT

UNITS = 64
BATCHES = 2_000  # of every size
# Eight per octave, rounded to integers.
SIZES = tuple(sorted({round(2 ** (step / 8)) for step in range(8 * 8 + 1)}))
EPOCHS = math.ceil(BATCHES / (DIGIT_COUNT // max(SIZES)))
