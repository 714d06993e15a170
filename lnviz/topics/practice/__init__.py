"""Measurements for the field guide: squares in low precision, and gains under weight decay."""
