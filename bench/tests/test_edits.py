"""Tests of edits: shares, gaps and moves."""

import unittest
from bisect import bisect_left
from collections import Counter
from random import Random

from nearprint_bench.edits import draw_runs, edit
from nearprint_bench.words import cut, join

WORDS = [f"w{number}" for number in range(400)]
GAPS = [""] + [" "] * 399 + ["."]
SUPPLY = [f"new{number}" for number in range(1000)]


class Edits(unittest.TestCase):
    def test_runs_are_of_one_to_five_words_and_add_up_to_the_share(self):
        for budget in range(60):
            runs = draw_runs(budget, Random(budget), ("delete",))
            self.assertEqual(sum(run.length for run in runs), budget)
            self.assertTrue(all(1 <= run.length <= 5 for run in runs))

    def test_each_kind_edits_exactly_the_share(self):
        for share in (0.05, 0.2, 0.5, 1.0):
            budget = round(share * len(WORDS))
            deleted, _ = edit(WORDS, GAPS, share, Random(1), SUPPLY, ("delete",))
            self.assertEqual(len(deleted), len(WORDS) - budget)
            self.assertEqual(deleted, sorted(deleted, key=WORDS.index))
            inserted, _ = edit(WORDS, GAPS, share, Random(1), SUPPLY, ("insert",))
            self.assertEqual(len(inserted), len(WORDS) + budget)
            self.assertEqual([word for word in inserted if word in set(WORDS)], WORDS)
            replaced, _ = edit(WORDS, GAPS, share, Random(1), SUPPLY, ("replace",))
            self.assertEqual(sum(a != b for a, b in zip(WORDS, replaced, strict=True)), budget)

    def test_moves_keep_the_bag_of_words_and_change_their_order(self):
        for seed in range(50):
            moved, _ = edit(WORDS, GAPS, 0.1, Random(seed), SUPPLY, ("move",))
            self.assertEqual(Counter(moved), Counter(WORDS))
            in_order = longest_ascent([WORDS.index(word) for word in moved])
            self.assertLess(in_order, len(WORDS))
            self.assertGreaterEqual(in_order, len(WORDS) - 40)

    def test_all_kinds_together_edit_no_more_than_the_share(self):
        for seed in range(50):
            words, gaps = edit(WORDS, GAPS, 0.2, Random(seed), SUPPLY)
            self.assertEqual(len(gaps), len(words) + 1)
            self.assertLessEqual(len(WORDS) - len(set(words) & set(WORDS)), 80)
            self.assertLessEqual(sum(word not in set(WORDS) for word in words), 80)
            self.assertEqual("".join(gaps), "".join(GAPS))

    def test_a_share_of_nothing_changes_nothing(self):
        self.assertEqual(edit(WORDS, GAPS, 0.0, Random(1), SUPPLY), (WORDS, GAPS))

    def test_the_seed_decides_all(self):
        again = [edit(WORDS, GAPS, 0.2, Random(seed), SUPPLY) for seed in (7, 7, 8)]
        self.assertEqual(again[0], again[1])
        self.assertNotEqual(again[0], again[2])

    def test_edits_leave_the_article_itself_alone(self):
        words, gaps = list(WORDS), list(GAPS)
        edit(words, gaps, 0.3, Random(3), SUPPLY)
        self.assertEqual((words, gaps), (WORDS, GAPS))


def longest_ascent(numbers):
    ends = []
    for number in numbers:
        place = bisect_left(ends, number)
        ends[place : place + 1] = [number]
    return len(ends)


class Words(unittest.TestCase):
    def test_words_and_gaps_make_the_text_again(self):
        for text in (
            "",
            "。",
            "能力比学历重要性高。",
            "  GPU 与CPU，3.5%！\n第二行 the end",
            "a_b _ c",
        ):
            self.assertEqual(join(*cut(text)), text)

    def test_punctuation_is_no_word(self):
        self.assertEqual(cut("能力，比学历！")[0], ["能力", "比", "学历"])

    def test_latin_words_that_become_neighbors_stay_apart(self):
        self.assertEqual(join(["GPU", "CPU", "好", "x"], ["", "", "", "", "."]), "GPU CPU好x.")


if __name__ == "__main__":
    unittest.main()
