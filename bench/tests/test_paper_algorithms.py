"""Tests of distances of different widths."""

import unittest

from nearprint_bench.paper_algorithms import (
    ALL,
    LETTER,
    PACKAGE_CHARACTERS,
    PACKAGE_WORDS,
    PAPER_BOUND,
    PLAIN,
    PRESET,
    lines,
    of,
    scaled,
)


class Widths(unittest.TestCase):
    def test_a_distance_is_the_same_share_of_every_width(self):
        self.assertEqual([scaled(10, bits) for bits in (64, 128, 256)], [5, 10, 20])

    def test_another_width_than_the_papers_is_said(self):
        self.assertEqual(
            [of(5, 64), of(10, 128), of(37, 256)],
            ["5 of 64 (10 of 128)", "10", "37 of 256 (18.5 of 128)"],
        )

    def test_every_line_has_the_bound_of_its_own_width(self):
        bits = {one.key: 128 for one in ALL} | {
            PACKAGE_CHARACTERS: 64,
            PACKAGE_WORDS: 64,
            PLAIN.key: 256,
        }
        settings = {"max-distance": 80, "min-similarity": 0.8, "verify": "coverage", "shingle": 3}
        found = {line.name: line for line in lines(settings, bits)}
        self.assertEqual(
            [
                found[name].bound
                for name in ("simhash", PLAIN.key, "default reach", f"{PACKAGE_WORDS} 5")
            ],
            [PAPER_BOUND, 20, 80, 5],
        )
        self.assertEqual(
            [
                found[f"{key} below"].bound
                for key in ("simhash", LETTER.key, f"{PRESET.key} with stop words")
            ],
            [9] * 3,
        )
        self.assertEqual(
            found[PLAIN.key].label, "nearprint's default, distance ≤ 20 of 256 (10 of 128)"
        )


if __name__ == "__main__":
    unittest.main()
