"""How the tables of `lnviz.database.rows` came about, a step a file in `versions`."""
