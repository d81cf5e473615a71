import unittest

from nearprint_bench.real_lines import line, total


class RealLinesTest(unittest.TestCase):
    def test_seconds_are_summed_and_memory_is_that_of_the_largest_run(self):
        measured = [
            ("a", 10, 2.0, [(0.5, 40, 1), (1.0, 90, 2)]),
            ("b", 20, 4.0, [(1.5, 60, 3), (2.0, 70, 4)]),
        ]
        self.assertEqual(
            line(*measured[0]),
            ["a", "10", "2.0", "0.50", "4.0", "40", "1", "1.00", "2.0", "90", "2", "2.0"],
        )
        self.assertEqual(
            total(measured),
            ["together", "30", "6.0", "2.00", "3.0", "60", "4", "3.00", "2.0", "90", "6", "1.5"],
        )


if __name__ == "__main__":
    unittest.main()
