"""The visitor's own numbers: a file becomes a grid on the page."""

from __future__ import annotations

import streamlit as st

from lnviz.data.uploads import MAX_BYTES, Upload, UploadError, read
from lnviz.lessons import Lesson
from lnviz.lessons.inputs import keep

_FILE = "upload-file"
_UPLOAD, _CHOICE, _PROBLEM = "upload", "upload-array", "upload-problem"
_SHOWN, _TOKENS = "upload-shown", "upload-tokens"


def pending(lesson: Lesson) -> dict[str, str] | None:
    """The parameters that show the array a visitor has brought, given out once to each lesson.

    Once: the figure's own choice of data may be another one by then.
    """
    upload: Upload | None = st.session_state.get(_UPLOAD)
    if upload is None:
        return None
    name = _chosen(upload)
    shown = st.session_state.setdefault(_SHOWN, {})
    if shown.get(lesson.slug) == name:
        return None
    shown[lesson.slug] = name
    tokens = st.session_state.setdefault(_TOKENS, {})
    # Kept once: to choose back and forth must not push others' files out of the store.
    if name not in tokens:
        tokens[name] = keep(upload.arrays[name])
    return {"data": tokens[name], "case": "1", "feature": "1"}


def panel() -> None:
    """The place to drop a file, with a choice where it holds several arrays."""
    with st.expander("Your own numbers"):
        st.markdown(
            "A table of numbers, one row a case: `.csv`, `.npy`, `.npz` or `.safetensors`, at most "
            "20 MB and a million cells. It stays in this server's memory, under a name that only "
            "your link holds, until the server needs the room."
        )
        size = MAX_BYTES // 2**20
        st.file_uploader("Your file", key=_FILE, on_change=_receive, max_upload_size=size)
        problem = st.session_state.get(_PROBLEM)
        if problem:
            st.error(f"{problem} The figure shows what it did before.")
        upload: Upload | None = st.session_state.get(_UPLOAD)
        if upload is None:
            return
        if len(upload.arrays) > 1:
            st.selectbox("Array", list(upload.arrays), key=_CHOICE)
        name = _chosen(upload)
        count, width = upload.arrays[name].values.shape
        st.caption(f"Read: {name}, {count:,} cases of {width:,} features.")
        for sentence in upload.left_out:
            st.caption(sentence)


def _chosen(upload: Upload) -> str:
    chosen = st.session_state.get(_CHOICE)
    return chosen if chosen in upload.arrays else next(iter(upload.arrays))


def _receive() -> None:
    """Reads the file that has come; what was on screen stays when it cannot be used."""
    for name in (_UPLOAD, _SHOWN, _TOKENS, _PROBLEM):
        st.session_state.pop(name, None)
    file = st.session_state[_FILE]
    if file is None:
        return
    try:
        st.session_state[_UPLOAD] = read(file.name, file.getvalue())
    except UploadError as error:
        st.session_state[_PROBLEM] = str(error)
