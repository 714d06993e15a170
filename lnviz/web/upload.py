"""The visitor's own numbers: a file becomes a grid on the page."""

from __future__ import annotations

import streamlit as st

from lnviz.lessons.source import PREFIX, UPLOADS
from lnviz.uploads import UploadError, read

_FILE, _CHOICE = "upload-file", "upload-choice"
_ARRAYS, _LEFT_OUT, _PROBLEM, _PENDING = "arrays", "left out", "problem", "pending"


def pending() -> dict[str, str] | None:
    """The parameters that show what was just uploaded; they are given out once."""
    parameters: dict[str, str] | None = st.session_state.pop(_PENDING, None)
    return parameters


def panel() -> None:
    """The place to drop a file, with a choice where it holds several arrays."""
    with st.expander("Your own numbers"):
        st.markdown(
            "A table of numbers, one row a case: `.csv`, `.npy`, `.npz` or `.safetensors`, at most "
            "20 MB and a million cells. It stays in this server's memory, under a name that only "
            "your link holds, until the server needs the room."
        )
        st.file_uploader("Your file", key=_FILE, on_change=_receive)
        problem = st.session_state.get(_PROBLEM)
        if problem:
            st.error(problem)
        arrays = st.session_state.get(_ARRAYS, {})
        if len(arrays) > 1:
            st.selectbox("Array", list(arrays), key=_CHOICE, on_change=_choose)
        for sentence in st.session_state.get(_LEFT_OUT, ()):
            st.caption(sentence)


def _receive() -> None:
    """Reads the file that has come; what was on screen stays when it cannot be used."""
    for name in (_ARRAYS, _LEFT_OUT, _PROBLEM, _CHOICE):
        st.session_state.pop(name, None)
    file = st.session_state[_FILE]
    if file is None:
        return
    try:
        upload = read(file.name, file.getvalue())
    except UploadError as error:
        st.session_state[_PROBLEM] = str(error)
        return
    st.session_state[_LEFT_OUT] = upload.left_out
    st.session_state[_ARRAYS] = upload.arrays
    st.session_state[_CHOICE] = next(iter(upload.arrays))
    _choose()


def _choose() -> None:
    values = st.session_state[_ARRAYS][st.session_state[_CHOICE]]
    st.session_state[_PENDING] = {"data": PREFIX + UPLOADS.put(values), "case": "1", "feature": "1"}
