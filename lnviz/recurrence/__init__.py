"""Recurrence: what happens to a state that passes through the same weights at every step."""

from lnviz.recurrence.drift import Drift, drift, steps_in_range

__all__ = ["Drift", "drift", "steps_in_range"]
