"""The panel that runs PyTorch's own LayerNorm on a figure's numbers."""

from __future__ import annotations

import streamlit as st

from lnviz.lessons.gain_bias import line


def panel() -> None:
    """A button, and below it what `nn.LayerNorm` says of the figure's present state."""
    with st.expander("Check it against PyTorch"):
        st.markdown(
            "This runs `torch.nn.LayerNorm` on the server, on the case, the gain and the bias that "
            "the figure shows now, and compares every output with ours."
        )
        if st.button("Run nn.LayerNorm on these numbers"):
            state, differences = line.check(st.query_params.to_dict())
            st.markdown(
                f"Case {state.case}, gain {state.gain:.2f}, bias {state.bias:.2f}:\n\n"
                "| variance | largest difference |\n"
                "| --- | --- |\n"
                f"| biased: divided by D, as the figure does | {differences.biased:.2g} |\n"
                f"| unbiased: divided by D - 1 | {differences.unbiased:.2g} |\n\n"
                "`nn.LayerNorm` divides by D. `torch.var` divides by D - 1 unless told otherwise, "
                "which is the usual reason why a hand-written LayerNorm disagrees."
            )
