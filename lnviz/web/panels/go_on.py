"""The panel that offers the lesson which this browser showed last."""

from __future__ import annotations

import streamlit as st

from lnviz.lessons import LESSONS
from lnviz.web import assets

_MOUNT = """
export default function ({ data, parentElement }) {
  const module = import(new URL(data.assets + "page/place.js", location.origin));
  module.then(({ offer }) => offer(parentElement.querySelector("p"), data), () => {});
}
"""

_component = st.components.v2.component(
    "lnviz.go-on", html="<p hidden></p>", js=_MOUNT, isolate_styles=False
)


def panel() -> None:
    """Show a link to that lesson, if there is one; the server never learns which."""
    _component(
        key="go-on",
        data={
            "assets": assets.versioned(),
            "base": f"{assets.base()}/",
            "lessons": {lesson.slug: lesson.title for lesson in LESSONS},
        },
    )
