"""The Streamlit component that shows an interactive figure."""

from __future__ import annotations

import streamlit as st

from lnviz.lessons import FigureSpec, Lesson
from lnviz.web import assets

# Streamlit calls this again on every rerun with the same parent; `mount` is idempotent.
_MOUNT = """
export default function ({ data, parentElement }) {
  const app = import(new URL(data.app, location.origin));
  const module = app.then(({ modules }) => modules["page/lesson.js"]);
  const place = parentElement.querySelector(".ln-place");
  const missing = () => {
    place.textContent = "The figure could not be loaded. Reload the page to try again.";
  };
  module.then(({ mount }) => mount(place, data), missing);
  return () => module.then(({ unmount }) => unmount(place), () => {});
}
"""

# Its style reserves a figure's usual height until the scripts are loaded.
_PLACE = '<div class="ln-place"></div>'

_component = st.components.v2.component(
    "lnviz.explorable", html=_PLACE, js=_MOUNT, isolate_styles=False
)


def show_figure(lesson: Lesson, figure: FigureSpec) -> None:
    """Show an interactive figure of a lesson in Streamlit.

    The component receives only the payload's URL; the browser fetches the payload itself.
    """
    _component(
        key=f"{lesson.slug}-{figure.name}",
        data={
            "source": f"{assets.base_path()}/explorables/{lesson.slug}/{figure.name}.json",
            "app": assets.bundle_url(),
            "parameters": [parameter.name for parameter in figure.parameters],
        },
    )
