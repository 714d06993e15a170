"""How the tables of `lnviz.database.models` came about, a step a file in `versions`."""
