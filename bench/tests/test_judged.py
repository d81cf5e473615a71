"""Tests of merged pairs, of the table, and of the halves, which share no family and no text."""

import unittest

from nearprint_bench.data import read_rows
from nearprint_bench.judged import OURS, Merged, halves, resemblance, table, wrong


def pair(left, right, reason="near", similarity=0.9):
    return {"left": left, "right": right, "reason": reason, "similarity": similarity}


class Counts(unittest.TestCase):
    def test_equal_texts_share_the_pairs_of_the_one_that_stands_for_them(self):
        merged = Merged(
            [
                pair("a", "b", "exact", 1.0),
                pair("a", "c", "exact", 1.0),
                pair("c", "d"),
                pair("e", "f", "short", 0.8),
            ]
        )
        self.assertEqual(merged.similarity("b", "c"), 1.0)
        self.assertEqual(merged.similarity("d", "b"), 0.9)
        self.assertEqual(merged.similarity("f", "e"), 0.8)
        self.assertIsNone(merged.similarity("d", "e"))

    def test_the_table_counts_by_corpus_group_and_label(self):
        of = (
            ("one", "known", 1, 0.8, 0.9),
            ("one", "known", 1, None, 0.7),
            ("two", "later", 0, None, 0.1),
            ("two", "later", 0, 0.9, 0.8),
        )
        pairs = [
            {
                "corpus": corpus,
                "group": group,
                "label": label,
                "similarity": similarity,
                "words": share,
                "shingles": share / 2,
            }
            for corpus, group, label, similarity, share in of
        ]
        _, _, *lines = table(pairs).splitlines()
        self.assertEqual(
            lines,
            [
                "| one | 2, 0 | 1, 0; 0 % | 1, 0; 0 % | 2, 0; 0 % | 0, 0; - |",
                "| all known | 2, 0 | 1, 0; 0 % | 1, 0; 0 % | 2, 0; 0 % | 0, 0; - |",
                "| two | 0, 2 | 0, 1; 100 % | 0, 1; 100 % | 0, 1; 100 % | 0, 0; - |",
                "| all later | 0, 2 | 0, 1; 100 % | 0, 1; 100 % | 0, 1; 100 % | 0, 0; - |",
            ],
        )
        self.assertEqual(wrong(pairs), [pairs[1], pairs[3]])

    def test_words_in_a_row_are_counted_once(self):
        self.assertEqual(resemblance("One two, one two.", "two one", "en", 1), 1.0)
        self.assertEqual(resemblance("a b c d", "a b c e", "en", 3), 1 / 3)
        self.assertEqual(resemblance("a", "a", "en", 3), 1.0)

    def test_rows_of_two_texts_become_two_documents(self):
        self.assertEqual(
            list(halves([{"id": "x", "label": 1, "text_a": "one", "text_b": "two"}])),
            [{"id": "x/a", "text": "one"}, {"id": "x/b", "text": "two"}],
        )


class Pairs(unittest.TestCase):
    def test_no_family_and_no_document_is_in_both_halves(self):
        place, seen = {}, set()
        for row in read_rows(OURS):
            self.assertIn(row["half"], ("choose", "tell"))
            self.assertIn(row["label"], (1, 0, None))
            documents = frozenset((row["corpus"], row[name]) for name in ("id_a", "id_b"))
            self.assertEqual(len(documents), 2)
            self.assertNotIn(documents, seen)
            seen.add(documents)
            families = {("family", row["family"])} if row["family"] != "single" else set()
            for name in documents | families:
                self.assertEqual(place.setdefault(name, row["half"]), row["half"], name)


if __name__ == "__main__":
    unittest.main()
