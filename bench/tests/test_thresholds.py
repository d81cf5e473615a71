"""Tests that the best results of tools are comparable."""

import unittest

from nearprint_bench.hard_cases_rivals import score
from nearprint_bench.nearprint_tool import Nearprint, with_equal_texts
from nearprint_bench.thresholds import GRID, RUNS, at_each
from nearprint_bench.tools import RIVALS


class Thresholds(unittest.TestCase):
    def test_every_tool_with_similarities_has_the_same_grid_from_a_half_on(self):
        for tool in [Nearprint(), *RIVALS]:
            if tool.name not in ("simhash", "text-dedup"):
                self.assertEqual([t for t in tool.grid if t >= 0.5], [t for t in GRID if t >= 0.5])

    def test_what_needs_a_run_for_each_threshold_has_some_that_all_others_have_too(self):
        self.assertLessEqual(set(RUNS), set(Nearprint.grid))

    def test_bounds_are_inclusive(self):
        self.assertEqual(
            at_each({(0, 1): 0.5, (0, 2): 0.49}, [0.5, 0.4]), {0.5: {(0, 1)}, 0.4: {(0, 1), (0, 2)}}
        )

    def test_equal_texts_are_found_wherever_one_of_them_is(self):
        rows = [
            {"left": 0, "right": 1, "similarity": 1.0},
            {"left": 0, "right": 2, "similarity": 0.9},
        ]
        self.assertEqual(
            with_equal_texts(["A b", "a  b", "a c"], rows), {(0, 1): 1.0, (0, 2): 0.9, (1, 2): 0.9}
        )

    def test_unlisted_pairs_are_wrong_and_those_left_out_are_not(self):
        truth = [
            {"left": "a", "right": "b", "label": 1},
            {"left": "a", "right": "c", "label": 0},
            {"left": "a", "right": "d", "label": None},
        ]
        found = {frozenset(pair) for pair in ("ab", "ac", "ad", "bd")}
        counts = score(found, truth)
        self.assertEqual((counts["right"], counts["wrong"], counts["unlisted"]), (1, 1, 1))
        self.assertEqual(counts["f1"], 2 / 4)


if __name__ == "__main__":
    unittest.main()
