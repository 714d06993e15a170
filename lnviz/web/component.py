"""The Streamlit component that shows an explorable."""

from __future__ import annotations

import streamlit as st

from lnviz.lessons import Figure, Lesson
from lnviz.web import assets

# Streamlit calls this again on every rerun, with the same parent: `mount` keeps what is there.
_MOUNT = """
export default function ({ data, parentElement }) {
  const module = import(new URL(data.assets + "lesson.js", location.origin));
  const missing = () => {
    parentElement.textContent = "The figure could not be loaded. Reload the page to try again.";
  };
  module.then(({ mount }) => mount(parentElement, data), missing);
  return () => module.then(({ unmount }) => unmount(parentElement), () => {});
}
"""

_component = st.components.v2.component("lnviz.explorable", js=_MOUNT, isolate_styles=False)


def explorable(lesson: Lesson, figure: Figure, parameters: dict[str, str] | None = None) -> None:
    """Shows a figure.

    Args:
        lesson: The lesson it belongs to.
        figure: The figure; its payload travels over HTTP, only its address goes through here.
        parameters: What the server's side of the page sets, once: an uploaded file, say.
    """
    names = [parameter.name for parameter in figure.parameters]
    given = {name: value for name, value in (parameters or {}).items() if name in names}
    _component(
        key=f"{lesson.slug}-{figure.name}",
        data={
            "source": f"{assets.base()}/explorables/{lesson.slug}/{figure.name}.json",
            "assets": f"{assets.base()}/assets/{assets.version()}/",
            "parameters": names,
            "set": given or None,
        },
    )
