"""How the tables of `lnviz.training.tables` came about, a step a file in `versions`."""
