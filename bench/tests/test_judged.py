"""What counts as merged, and the table; and that the halves share no family and no text."""

import unittest

from nearprint_bench.data import read_rows
from nearprint_bench.judged import GROUPS, OURS, Merged, halves, table, wrong


def pair(left, right, reason="near", similarity=0.9):
    return {"left": left, "right": right, "reason": reason, "similarity": similarity}


class Counts(unittest.TestCase):
    def test_equal_texts_share_the_pairs_of_the_one_that_stands_for_them(self):
        merged = Merged([pair("a", "b", "exact", 1.0), pair("a", "c", "exact", 1.0), pair("c", "d"), pair("e", "f", "short", 0.8)])
        self.assertEqual(merged.similarity("b", "c"), 1.0)
        self.assertEqual(merged.similarity("d", "b"), 0.9)
        self.assertEqual(merged.similarity("f", "e"), 0.8)
        self.assertIsNone(merged.similarity("d", "e"))

    def test_the_table_counts_by_corpus_half_and_label(self):
        pairs = [{"corpus": corpus, "half": half, "label": label, "similarity": similarity} for corpus, half, label, similarity in
                 (("one", "choose", 1, 0.8), ("one", "choose", 1, None), ("one", "tell", 0, None), ("two", "choose", 0, 0.9))]
        _, _, *lines = table(pairs).splitlines()
        self.assertEqual(lines, ["| one | 1 of 2 |  |  | 0 of 1 |  |  |",
                                 "| two |  | 1 of 1 |  |  |  |  |",
                                 "| all | 1 of 2 | 1 of 1 |  | 0 of 1 |  |  |"])
        self.assertEqual(wrong(pairs), [pairs[1], pairs[3]])

    def test_rows_of_two_texts_become_two_documents(self):
        self.assertEqual(list(halves([{"id": "x", "label": 1, "text_a": "one", "text_b": "two"}])),
                         [{"id": "x/a", "text": "one"}, {"id": "x/b", "text": "two"}])


class Pairs(unittest.TestCase):
    def test_no_family_and_no_document_is_in_both_halves(self):
        place, seen = {}, set()
        for row in read_rows(OURS):
            self.assertIn(row["half"], GROUPS[:2])
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
