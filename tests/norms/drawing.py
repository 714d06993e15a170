"""Seeds and sizes, drawn, and names for what is tested."""

from hypothesis import strategies as st

from lnviz.norms import Norm

SEEDS = st.integers(0, 2**32)
SIZES = st.integers(1, 7)


def named(case: object) -> str:
    if isinstance(case, Norm):
        return f"{case.label}{case.group_count or ''}"
    return str(case)
