"""Stored results: what took too long to compute to be computed on the page.

| file | made by | shown at |
| --- | --- | --- |
| recurrence.json | `python -m lnviz.recurrence.train` | /recurrence |
"""
