"""Measurements for the field guide: RMSNorm in low precision, and gains under weight decay."""
