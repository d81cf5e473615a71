"""Tests of the reprints of a story."""

import unittest
from random import Random

from nearprint_bench.reprints import REPRINTS, STORIES, corpus

STORY = "The council of town {n} met on a day in spring. It spoke of the bridge number {n}. Then it went home to dine."


class TheReprints(unittest.TestCase):
    def setUp(self):
        texts = [
            " ".join(STORY.format(n=n) for n in range(20 * story, 20 * story + 8))
            for story in range(STORIES * 13 + 5)
        ]
        self.rows = corpus(texts, "English", Random(1))

    def test_each_kind_has_its_families(self):
        kinds = {row["id"].split("/")[0] for row in self.rows}
        self.assertEqual(len(kinds), 13)
        self.assertEqual(len(self.rows), 13 * STORIES * REPRINTS)
        self.assertEqual(len({row["id"] for row in self.rows}), len(self.rows))

    def test_reprints_of_a_story_differ_and_hold_it(self):
        family = [row["text"] for row in self.rows if row["id"].startswith("byline at the end/3/")]
        self.assertEqual(len(set(family)), REPRINTS)
        self.assertEqual(len({text.split("\n")[0] for text in family}), 1)

    def test_edited_and_scanned_reprints_share_most_words(self):
        for kind in ["1% wrong characters", "10.0% of the words edited"]:
            one, other = [
                set(row["text"].split()) for row in self.rows if row["id"].startswith(f"{kind}/0/")
            ][:2]
            self.assertNotEqual(one, other, kind)
            self.assertGreater(len(one & other), 0.5 * len(one), kind)


if __name__ == "__main__":
    unittest.main()
