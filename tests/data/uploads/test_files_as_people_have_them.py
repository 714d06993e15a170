"""Files as people have them: exported by programs, published with papers, typed by hand."""

import gzip
import json
import os
from dataclasses import dataclass

import numpy as np
import pyarrow
import pytest

from lnviz.data.uploads import read
from tests.data.uploads.making import message, parquet


@dataclass(frozen=True)
class Case:
    """A file, and what is read of it."""

    name: str
    content: str | bytes
    values: list[list[float]]
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


IRIS = "5.1,3.5,1.4,0.2,{0}\n7.0,3.2,4.7,1.4,{1}\n6.3,3.3,6.0,2.5,{2}\n4.9,3.0,1.4,0.2,{0}\n"
FLOWERS = [[5.1, 3.5, 1.4, 0.2], [7, 3.2, 4.7, 1.4], [6.3, 3.3, 6, 2.5], [4.9, 3, 1.4, 0.2]]
SPECIES = ("setosa", "versicolor", "virginica")
SMALL = [[1.5, 2.0], [3.0, 4.5]]


CASES = {
    "scikit-learn's iris": Case(
        "iris.csv",
        "4,4,setosa,versicolor,virginica\n" + IRIS.format(0, 1, 2),
        FLOWERS,
        said=(
            'The last column was left out: it holds class numbers ("setosa", "versicolor", '
            '"virginica").',
        ),
    ),
    "UCI's iris.data": Case(
        "iris.data",
        IRIS.format(*SPECIES) + "\n",
        FLOWERS,
        said=('Column 5 was left out: it holds words ("setosa" in row 1).',),
    ),
    "seaborn's iris": Case(
        "iris.csv",
        "sepal_length,sepal_width,petal_length,petal_width,species\n" + IRIS.format(*SPECIES),
        FLOWERS,
        ("sepal_length", "sepal_width", "petal_length", "petal_width"),
        said=('"species" was left out: it holds words ("setosa" in row 2).',),
    ),
    "penguins with gaps": Case(
        "penguins.csv",
        "species,island,bill_mm,flipper_mm\nAdelie,Torgersen,39.1,181\nAdelie,Torgersen,NA,NA\n"
        "Gentoo,Biscoe,46.1,211\nGentoo,,50,230\n",
        [[39.1, 181], [46.1, 211], [50, 230]],
        ("bill_mm", "flipper_mm"),
        said=(
            '"species" and "island" were left out: they hold words ("Adelie" in row 2).',
            '1 of 4 rows was left out: it has a gap (the first is row 3, where "bill_mm" is "NA").',
        ),
    ),
    "UCI's auto-mpg with question marks": Case(
        "auto.csv",
        "mpg,hp\n18,130\n25,?\n15,165\n",
        [[18, 130], [15, 165]],
        ("mpg", "hp"),
        said=('1 of 3 rows was left out: it has a gap (the first is row 3, where "hp" is "?").',),
    ),
    "pandas with an index": Case(
        "a.csv", ",x,y\n0,1.5,2\n1,3,4.5\n", SMALL, ("x", "y"), ("0", "1")
    ),
    "pandas with a named index": Case(
        "a.csv",
        "id,x,y\n7,1.5,2\n9,3,4.5\n",
        SMALL,
        ("x", "y"),
        ("7", "9"),
        ('"id" was left out: it holds row numbers.',),
    ),
    "pandas read and saved twice": Case(
        "a.csv",
        "Unnamed: 0,x,y\n0,1.5,2\n1,3,4.5\n",
        SMALL,
        ("x", "y"),
        ("0", "1"),
        ('"Unnamed: 0" was left out: it holds row numbers.',),
    ),
    "R's write.table": Case(
        "mtcars.txt",
        '"mpg" "cyl"\n"Mazda RX4" 1.5 2\n"Datsun 710" 3 4.5\n',
        SMALL,
        ("mpg", "cyl"),
        ("Mazda RX4", "Datsun 710"),
    ),
    "R's write.csv": Case(
        "a.csv", '"","x","y"\n"1",1.5,2\n"2",3,4.5\n', SMALL, ("x", "y"), ("1", "2")
    ),
    "countries and years": Case(
        "gdp.csv",
        "country,2001,2002\nGermany,1.5,2\nFrance,3,4.5\n",
        SMALL,
        ("2001", "2002"),
        ("Germany", "France"),
        ('"country" was left out: it holds row names.',),
    ),
    "a title above the table and a source below": Case(
        "bank.csv",
        "Data Source,World Bank\n\nLast updated,2024\n\nx,y,z\n1.5,2,1\n3,4.5,1\nSource: UN\n",
        [[1.5, 2, 1], [3, 4.5, 1]],
        ("x", "y", "z"),
        said=(
            "The first 2 rows were left out: they have different lengths.",
            "The text below the table was left out (from row 8).",
        ),
    ),
    "a row of units": Case(
        "lab.csv", "height,mass\ncm,kg\n1.5,2\n3,4.5\n", SMALL, ("height (cm)", "mass (kg)")
    ),
    "comments": Case(
        "a.csv", "# by me\n# 2024\nx,y\n1.5,2\n# doubtful\n3,4.5\n", SMALL, ("x", "y")
    ),
    "numpy.savetxt with a header": Case("a.txt", "# x y\n1.5 2\n3 4.5\n", SMALL, ("x", "y")),
    "German Excel": Case("a.csv", "sep=;\r\nx;y\r\n1,5;2\r\n3;4,5\r\n", SMALL, ("x", "y")),
    "Excel's clipboard with decimal commas": Case(
        "a.tsv", "x\ty\n1,5\t2\n3\t4,5\n", SMALL, ("x", "y")
    ),
    "a comma at the end of each row": Case("a.csv", "x,y\n1.5,2,\n3,4.5,\n", SMALL, ("x", "y")),
    "a comma at the end of every line": Case("a.csv", "x,y,\n1.5,2,\n3,4.5,\n", SMALL, ("x", "y")),
    "tabs, named .txt": Case("a.txt", "x\ty\n1.5\t2\n3\t4.5\n", SMALL, ("x", "y")),
    "bars": Case("a.txt", "x|y\n1.5|2\n3|4.5\n", SMALL, ("x", "y")),
    "columns of equal width": Case(
        "a.dat", "  x     y\n 1.5   2.0\n 3.0   4.5\n", SMALL, ("x", "y")
    ),
    "truth values": Case(
        "a.csv",
        "x,smoker\n1.5,True\n3,False\n",
        [[1.5, 1], [3, 0]],
        ("x", "smoker"),
        said=('In "smoker", true is 1 and false is 0.',),
    ),
    "thousands": Case(
        "a.csv",
        'area,people\n1.5,"1,234,567"\n3,999\n',
        [[1.5, 1234567], [3, 999]],
        ("area", "people"),
        said=('Commas in "people" were read as thousands separators.',),
    ),
    "dates": Case(
        "stocks.csv",
        "Date,open,close\n2024-01-02,1.5,2\n2024-01-03,3,4.5\n",
        SMALL,
        ("open", "close"),
        ("2024-01-02", "2024-01-03"),
        ('"Date" was left out: it holds row names.',),
    ),
    "compressed": Case(
        "a.csv.gz", gzip.compress(b"x,y\n1.5,2\n3,4.5\n", mtime=0), SMALL, ("x", "y")
    ),
    "records in JSON": Case(
        "cars.json",
        json.dumps(
            [
                {"Name": "a", "x": 1.5, "y": 2, "Origin": "USA"},
                {"Name": "b", "x": 3, "y": 4.5, "Origin": "USA"},
                {"Name": "c", "x": None, "y": 1, "Origin": "USA"},
            ]
        ),
        SMALL,
        ("x", "y"),
        ("a", "b"),
        (
            '"Name" was left out: it holds row names.',
            '"Origin" was left out: it holds words ("USA" in row 1).',
            '1 of 3 rows was left out: it has a gap (the first is row 3, where "x" is empty).',
        ),
    ),
    "columns in JSON": Case("a.json", '{"x": [1.5, 3], "y": [2, 4.5]}', SMALL, ("x", "y")),
    "pandas' to_json": Case(
        "a.json", '{"x":{"0":1.5,"1":3},"y":{"0":2,"1":4.5}}', SMALL, ("x", "y")
    ),
    "pandas' to_json by rows": Case(
        "a.json", '{"0":{"x":1.5,"y":2},"1":{"x":3,"y":4.5}}', SMALL, ("x", "y")
    ),
    "pandas' to_json, split": Case(
        "a.json", '{"columns":["x","y"],"index":[0,1],"data":[[1.5,2],[3,4.5]]}', SMALL, ("x", "y")
    ),
    "rows in JSON": Case("a.json", "[[1.5, 2], [3, 4.5]]", SMALL),
    "JSON lines": Case("a.jsonl", '{"x":1.5,"y":2}\n{"x":3,"y":4.5}\n', SMALL, ("x", "y")),
    "an answer of a web service": Case(
        "a.json", '{"count": 2, "results": [{"x":1.5,"y":2},{"x":3,"y":4.5}]}', SMALL, ("x", "y")
    ),
    "Parquet": Case(
        "a.parquet",
        parquet(species=["setosa", "setosa"], x=[1.5, 3.0], y=[2.0, 4.5]),
        SMALL,
        ("x", "y"),
        said=('"species" was left out: it holds words ("setosa" in row 1).',),
    ),
    "Parquet with gaps and truth values": Case(
        "a.parquet",
        parquet(x=[1, None, 3], ok=[True, False, False]),
        [[1, 1], [3, 0]],
        ("x", "ok"),
        said=(
            'In "ok", true is 1 and false is 0.',
            '1 of 3 rows was left out: it has a gap (the first is row 2, where "x" is empty).',
        ),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_a_file_as_people_have_it_is_read_and_says_what_it_lacks(case: Case) -> None:
    raw = case.content.encode() if isinstance(case.content, str) else case.content
    found = read(case.name, raw)
    name, table = next(iter(found.arrays.items()))
    np.testing.assert_array_equal(table.values, np.array(case.values, np.float32))
    assert table.columns == case.columns
    assert table.rows == case.rows
    assert found.notes[name] == case.said


def test_the_files_that_scikit_learn_ships_are_read() -> None:
    from sklearn.datasets import data

    folder = os.path.dirname(data.__file__)
    shapes = {}
    for name in sorted(os.listdir(folder)):
        if ".csv" in name and name != "diabetes_target.csv.gz":  # one column
            with open(os.path.join(folder, name), "rb") as file:
                (table,) = read(name, file.read()).arrays.values()
            shapes[name.split(".")[0]] = tuple(table.values.shape)
    assert shapes == {
        "breast_cancer": (569, 30),
        "diabetes_data_raw": (442, 10),
        "digits": (1797, 65),
        "iris": (150, 4),
        "linnerud_exercise": (20, 3),
        "linnerud_physiological": (20, 3),
        "wine_data": (178, 13),
    }


def test_gaps_cost_the_fewest_numbers_and_other_choices_are_offered() -> None:
    ages = ["", "30", "", "40", "", "50"]
    rows = [f"{n},{age},{n * n}" for n, age in enumerate(ages)]
    found = read("titanic.csv", "\n".join(["a,age,b", *rows]).encode())
    assert {name: tuple(table.values.shape) for name, table in found.arrays.items()} == {
        "titanic": (6, 2),
        "titanic, rows with gaps left out": (3, 3),
    }
    assert found.notes["titanic"] == ('"age" was left out: it has 3 gaps.',)


def test_every_choice_is_offered_where_the_best_one_leaves_out_rows_and_columns() -> None:
    rows = ["1,2,,9"] * 7 + ["1,,3,9", "1,2,3,9", "4,5,6,9"]
    found = read("a.csv", "\n".join(["w,x,y,z", *rows]).encode())
    assert {name: tuple(table.values.shape) for name, table in found.arrays.items()} == {
        "a": (9, 3),
        "a, rows with gaps left out": (2, 4),
        "a, columns with gaps left out": (10, 2),
    }


def test_a_stray_text_in_a_column_of_numbers_is_a_gap_and_is_quoted() -> None:
    rows = [f"{n},{n * n}" for n in range(20)] + ["20,<5?"]
    found = read("a.csv", "\n".join(["x,y", *rows]).encode())
    assert found.arrays["a"].values.shape == (20, 2)
    assert found.notes["a"][0] == 'Text in "y" counts as a gap ("_5?" in row 22).'


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("a.json", b"[" * 100_000 + b"]" * 100_000, "too deep to read"),
        ("a.json", b"[[1,2],[3,4]", "is damaged JSON: it cannot be read in line 1"),
        ("a.json", b"[" + b"[]," * 1_000_001 + b"[]]", "limit of 1,000,000 cells"),
        ("a.json", b"[" + b"1," * 2_000_001 + b"1]", "limit of 1,000,000 cells"),
        ("a.json", b'{"type": "Topology", "arcs": [[[1, 2], [3, 4]]]}', "holds no table"),
        ("a.json", b"[1, 2, 3]", "holds no table"),
        ("a.json", b"7", "holds no table"),
        ("a.parquet", b"PAR1" + b"\0" * 20 + b"PAR1", "is damaged or truncated"),
        ("a.parquet", b"PAR1", "is damaged or truncated"),
        ("a.parquet", parquet(x=[1], y=[2])[:-1], "is damaged or truncated"),
        ("a.csv", parquet(x=[1], y=[2]), "but like a Parquet file"),
    ],
    ids=range(11),
)
def test_hostile_and_damaged_files_are_refused(name: str, raw: bytes, said: str) -> None:
    assert said in message(name, raw)


def test_a_parquet_file_of_too_many_rows_is_refused_before_it_is_read() -> None:
    zeros = np.zeros(1_000_001, np.int8)
    said = message("a.parquet", parquet(x=zeros, y=zeros))
    assert said.startswith('"a.parquet" has 1,000,001 rows of 2 columns, more than')


@pytest.mark.slow
def test_a_parquet_page_that_unpacks_to_too_much_is_refused_before_it_is_read() -> None:
    words = ["x" * 30_000_000, "y"]
    raw = parquet(word=words, x=[1, 2], y=[3, 4])
    assert len(raw) < 100_000
    assert "unpacks to 30," in message("a.parquet", raw)


def test_a_parquet_file_of_nested_columns_and_dates_is_read_without_them() -> None:
    days = pyarrow.array([0, 1], pyarrow.date32())
    found = read("a.parquet", parquet(x=[1, 2], y=[3, 5], day=days, lists=[[1], [2, 3]]))
    assert found.arrays["a"].columns == ("x", "y")
    assert found.notes["a"] == (
        "2 columns were left out: their values are neither numbers nor text.",
    )
