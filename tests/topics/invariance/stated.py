"""What the papers state, and how near to it a measurement is."""

from lnviz.topics.invariance import TABLE_1, InvarianceTable

EXACT = 1e-9
MARGIN = 1e-2
STATED = [(n, t, stated) for n, row in TABLE_1.items() for t, stated in row.items()]
YES = [(n, t) for n, t, stated in STATED if stated]
NO = [(n, t) for n, t, stated in STATED if not stated]


def at(measured: InvarianceTable, norm: str, transformation: str, strength: float) -> float:
    curve = measured.curve(norm, transformation)
    return float(curve[measured.strengths.index(strength)])
