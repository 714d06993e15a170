"""Rows of statistics are kept on their device until the table is asked for."""

import torch

from lnviz.diagnostics import NormWatcher
from lnviz.diagnostics.row_buffer import PACK_SIZE, RowBuffer
from tests.diagnostics.models import Reader, read


def test_a_table_has_each_row_and_nan_where_none_was_added():
    rows = RowBuffer(2)
    rows.add(2, torch.tensor([1.0, 2.0]))
    rows.add(0, torch.tensor([3.0, 4.0]))
    expected = torch.tensor([[3, 4], [torch.nan, torch.nan], [1, 2], [torch.nan, torch.nan]])
    torch.testing.assert_close(rows.table(range(4)), expected, equal_nan=True)
    assert torch.equal(rows.table(range(3))[[0, 2]], expected[[0, 2]])


def test_the_last_of_several_rows_of_one_number_counts_also_after_packing():
    rows = RowBuffer(1)
    for value in range(2 * PACK_SIZE + 1):
        rows.add(value % 2, torch.tensor([float(value)]))
    assert rows.table(range(2)).flatten().tolist() == [2 * PACK_SIZE, 2 * PACK_SIZE - 1]
    assert rows.added == 2 * PACK_SIZE + 1


def test_full_rows_are_packed_into_one_tensor():
    rows = RowBuffer(1)
    for row in range(PACK_SIZE):
        rows.add(row, torch.ones(1))
    assert [len(numbers) for _, numbers in rows._packed] == [PACK_SIZE]
    assert not rows._waiting


def test_a_report_read_before_the_backward_pass_is_renewed_after_it():
    model = Reader()
    with NormWatcher(model) as watched:
        loss = read(model)
        first = watched.run
        assert watched.run is first
        loss.backward()
        assert watched.run is not first
    assert watched.norms["final"].calls["gradient_out"].isfinite().all()
