"""Tests of scores against planted copies, and of the rows of the table."""

import math
import unittest

from nearprint_bench.planted import score
from nearprint_bench.scale_rows import cells, row, sizes, stages

SUMMARY = {
    "counts": {"read": 10_000, "candidate_pairs": 1_234},
    "bytes": {"text": 18_400_000},
    "seconds": {"all": 1.5, "read": 0.5, "join": 0.8, "recall": 0.1, "write": 0.1},
    "peak_memory_bytes": 64_000_000,
    "max_distance": 68,
}


def removed(keepers):
    return [{"id": document, "keeper": keeper} for document, keeper in keepers.items()]


class Planted(unittest.TestCase):
    def test_copies_are_found_whichever_of_the_family_stays(self):
        truth = [(1, 5), (1, 7), (2, 6)]
        self.assertEqual(score(truth, removed({5: 1, 7: 1, 6: 2})), (1, 1))
        self.assertEqual(score(truth, removed({1: 5, 7: 5, 2: 6})), (1, 1))

    def test_what_is_missed_costs_recall_and_what_is_wrongly_removed_precision(self):
        truth = [(1, 5), (1, 7), (2, 6), (3, 8)]
        self.assertEqual(score(truth, removed({5: 1, 7: 1, 6: 2})), (3 / 4, 1))
        self.assertEqual(score(truth, removed({5: 1, 7: 1, 6: 2, 8: 3, 9: 4})), (1, 4 / 5))
        # Two of a family in the cluster of a stranger count as found, and as wrongly removed.
        self.assertEqual(score([(1, 5)], removed({1: 0, 5: 0})), (1, 0))

    def test_nothing_removed_has_no_precision(self):
        recall, precision = score([(1, 5)], [])
        self.assertEqual(recall, 0)
        self.assertTrue(math.isnan(precision))


class Rows(unittest.TestCase):
    def test_sizes_are_sorted(self):
        self.assertEqual(sizes("100000,2000,2000"), [2_000, 100_000])

    def test_the_table_has_the_stages_that_took_time(self):
        rows = [row(SUMMARY, 2.25, 0.9998, 1.0)]
        self.assertEqual(stages(rows), ["read", "join", "recall", "write"])
        header, [line] = cells(rows)
        self.assertEqual(header[4:8], ["read, s", "join, s", "recall, s", "write, s"])
        self.assertEqual(
            " ".join(line), "10,000 18 1.50 2.25 0.50 0.80 0.10 0.10 64 68 1,234 0.9998 1.0000"
        )
        self.assertEqual(len(header), len(line))

    def test_no_stage_is_left_out(self):
        with self.assertRaises(SystemExit):
            row({**SUMMARY, "seconds": {"all": 1.5, "read": 0.5, "think": 1.0}}, 2.25, 1.0, 1.0)


if __name__ == "__main__":
    unittest.main()
