"""Computations, one package per topic; charts are drawn in `lnviz.lessons`."""
