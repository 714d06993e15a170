"""A visitor's table of examples with labels: any number type is read, other files refused."""

import numpy as np
import pytest
import torch

from lnviz.data.uploads import MAX_CELLS, UploadError
from lnviz.data.uploads.labeled_table import (
    LAYOUT,
    MAX_CLASSES,
    MAX_COLUMNS,
    MAX_EXAMPLES,
    read_labeled,
)
from tests.data.uploads.making import npz

LABELS = np.repeat([0, 1], 75)


def table(**changes: np.ndarray) -> bytes:
    return npz(**{"inputs": np.ones((150, 2)), "labels": LABELS} | changes)


@pytest.mark.parametrize("kind", ["u1", "i2", ">i8", "f2", "<f8"])
def test_numbers_of_any_type_are_read(kind: str) -> None:
    labels = np.repeat([3, 5, 7], 50).astype(kind)
    found = read_labeled(table(labels=labels, inputs=np.arange(300).reshape(150, 2)))
    assert torch.equal(found.targets, torch.arange(3).repeat_interleave(50))
    assert found.inputs[-1].tolist() == [298, 299]


CELL = np.where(np.arange(300).reshape(150, 2) == 5, np.nan, 1.0)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"inputs": np.array([["a"]])},
            '"inputs" in the file holds text, but must hold numbers. Convert it if that makes '
            'sense: array.astype("float32").',
        ),
        (
            {"labels": LABELS == 1},
            '"labels" in the file holds truth values, but must hold numbers. Convert it if that '
            'makes sense: array.astype("int64").',
        ),
        (
            {"inputs": np.zeros(150)},
            f'"inputs" in the file has shape 150, but inputs must have shape N x D. {LAYOUT}',
        ),
        (
            {"labels": np.eye(150)},
            f'"labels" in the file has shape 150 x 150, but labels must have shape N. {LAYOUT}',
        ),
        (
            {"labels": LABELS[1:]},
            'The file holds 150 rows in "inputs", but 149 entries in "labels". Save one label for '
            "each row.",
        ),
        (
            {"inputs": np.zeros((70_001, 1), "u1"), "labels": np.zeros(70_001, "u1")},
            '"inputs" in the file has 70,001 rows, more than the limit of 70,000. Save fewer rows.',
        ),
        (
            {"inputs": np.zeros((150, 10_001), "u1")},
            '"inputs" in the file has 10,001 columns, more than the limit of 10,000. Save fewer '
            "columns.",
        ),
        (
            {"inputs": np.zeros((150, 7_000), "u1")},
            '"inputs" in the file has 1,050,000 cells, more than the limit of 1,000,000. Save '
            "fewer rows or columns.",
        ),
        ({"inputs": np.zeros((150, 0))}, f'"inputs" in the file has no columns. {LAYOUT}'),
        (
            {"inputs": CELL},
            'Row 3, column 2 (counted from 1) of "inputs" in the file is NaN, not a number. Enter '
            "a finite number there, or leave that row out.",
        ),
        (
            {"labels": LABELS / 2},
            'Entry 76 (counted from 1) of "labels" in the file is 0.5, but labels must be whole '
            "numbers. Enter a class number there, or leave that row out.",
        ),
        (
            {"labels": np.where(LABELS == 1, np.inf, 0)},
            'Entry 76 (counted from 1) of "labels" in the file is inf, but labels must be whole '
            "numbers. Enter a class number there, or leave that row out.",
        ),
        (
            {"labels": LABELS * 0},
            '"labels" in the file must have 2 to 100 classes, but has 1. Save rows of at least '
            "two classes, with labels that number the classes.",
        ),
        (
            {"inputs": np.zeros((0, 2)), "labels": LABELS[:0]},
            '"labels" in the file must have 2 to 100 classes, but has 0. Save rows of at least '
            "two classes, with labels that number the classes.",
        ),
        (
            {"labels": np.arange(150)},
            '"labels" in the file must have 2 to 100 classes, but has 150. Save rows of at least '
            "two classes, with labels that number the classes.",
        ),
        (
            {"labels": np.where(np.arange(150) < 4, 9.0, LABELS)},
            'Class 9 of "labels" in the file has too few examples: 4, but at least 5 are needed. '
            "Save more of them, or leave that class out.",
        ),
    ],
)
def test_another_table_is_refused(changes: dict[str, np.ndarray], said: str) -> None:
    with pytest.raises(UploadError) as caught:
        read_labeled(table(**changes))
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("rows", "columns"),
    [(MAX_EXAMPLES, 1), (100, MAX_COLUMNS), (250, MAX_CELLS // 250)],
)
def test_a_table_as_large_as_is_allowed_is_read(rows: int, columns: int) -> None:
    found = read_labeled(
        table(inputs=np.zeros((rows, columns), "u1"), labels=np.arange(rows, dtype="u1") % 2)
    )
    assert found.inputs.shape == (rows, columns)


@pytest.mark.parametrize(("classes", "examples"), [(2, 5), (MAX_CLASSES, 5)])
def test_the_fewest_and_the_most_classes_of_the_fewest_examples_are_read(
    classes: int, examples: int
) -> None:
    labels = np.repeat(np.arange(classes), examples)
    found = read_labeled(table(inputs=np.ones((len(labels), 1)), labels=labels))
    assert found.targets.bincount().tolist() == [examples] * classes


def test_arrays_that_are_not_asked_for_are_passed_over() -> None:
    assert read_labeled(table(notes=np.array(["text"]))).inputs.shape == (150, 2)


def test_a_file_without_labels_is_refused() -> None:
    with pytest.raises(UploadError, match='The file holds no array "labels"'):
        read_labeled(npz(inputs=np.ones((150, 2))))
