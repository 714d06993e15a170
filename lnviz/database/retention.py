"""Retention times of clients' data in the database."""

from datetime import timedelta

JOB_RETENTION = timedelta(days=30)
"""Time after which a training job that has ended is deleted."""
UPLOAD_RETENTION = timedelta(days=7)
"""Time after which an upload is deleted."""
