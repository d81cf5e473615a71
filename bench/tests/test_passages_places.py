"""Tests of what is counted of passages that were cut."""

import json
import tempfile
import unittest
from pathlib import Path

import zstandard
from nearprint_bench.data import write_rows
from nearprint_bench.passages_measure import documents, measure, spans, texts_of, write_sample
from nearprint_bench.passages_places import Text, ends_here, merged, wrap_width

ALICE = "Alice wanted to go to the store. She went."
WRAPPED = (
    "The fund said its quarterly dividend rate may fluctuate in\n"
    "the future and that it declared an initial dividend of five\n"
    "cts per share.\n"
    "A new paragraph begins here and it goes on to a second line"
)


def cut(text: str, passage: str):
    """The place of a passage of a text."""
    start = text.encode().index(passage.encode())
    (place,) = Text(text).places([(start, start + len(passage.encode()))])
    return place


def said(place) -> tuple[bool, bool, bool]:
    return place.torn, place.joined, place.in_sentence


class Places(unittest.TestCase):
    def test_ranges_that_overlap_or_touch_are_one_place(self):
        self.assertEqual(merged([(8, 12), (0, 3), (3, 5), (4, 4), (10, 99)], 20), [(0, 5), (8, 20)])
        self.assertEqual(merged([(20, 21)], 20), [])

    def test_a_whole_sentence_tears_nothing(self):
        self.assertEqual(said(cut(ALICE, " She went.")), (False, False, False))
        self.assertEqual(
            said(cut(ALICE, "Alice wanted to go to the store. ")), (False, False, False)
        )

    def test_a_cut_between_words_is_in_a_sentence_and_may_join(self):
        self.assertEqual(said(cut(ALICE, " to go to the ")), (False, True, True))
        self.assertEqual(said(cut(ALICE, " to go to the")), (False, False, True))

    def test_a_cut_through_a_word_tears_it(self):
        self.assertEqual(said(cut(ALICE, "ed to go to the ")), (True, True, True))
        self.assertEqual(said(cut(ALICE, "re. She")), (True, False, True))
        self.assertTrue(cut("in 1987 it", "in 19").torn)

    def test_a_cut_between_chinese_letters_tears_and_joins(self):
        text = "今天下雨。他们出去散步，很高兴。明天再说。"
        self.assertEqual(said(cut(text, "他们出去散步，很高兴。")), (False, False, False))
        self.assertEqual(said(cut(text, "出去散步")), (True, False, True))
        self.assertEqual(said(cut(text, "去散步，很")), (True, True, True))
        self.assertEqual(said(cut(text, "散步，")), (True, True, True))

    def test_an_edge_within_a_letter_is_one_in_a_word(self):
        (place,) = Text("今天，下雨").places([(0, 7)])  # into the comma
        self.assertEqual((place.within_letter, *said(place)), (True, True, False, True))
        (place,) = Text("今天，下雨").places([(6, 9)])
        self.assertEqual((place.within_letter, *said(place)), (False, False, True, True))

    def test_a_whole_text_is_clean(self):
        (place,) = Text(ALICE).places([(0, 500)])
        self.assertTrue(place.whole)
        self.assertEqual(said(place), (False, False, False))

    def test_a_place_is_shown_in_its_surroundings(self):
        text = Text(ALICE)
        self.assertEqual(
            text.shown(cut(ALICE, " to go to the "), around=6), "wanted⟦ to go to the ⟧store."
        )


class Ends(unittest.TestCase):
    def ends(self, text: str, width=None) -> bool:
        """Whether a sentence ends at the bar."""
        return ends_here(*text.split("|"), width)

    def test_marks(self):
        for text in (
            "|One",
            "One|",
            "a. |B",
            "a.| B",
            'a." |B',
            "a.** |B",
            "a! |(B",
            "好。|但",
            "a.|但",
        ):
            self.assertTrue(self.ends(text), text)
        for text in ("a |b", "a, |b", "e.g. |the", "3.|5", "U|.S.", "好，|但", "a |. B", "a:| b"):
            self.assertFalse(self.ends(text), text)

    def test_line_breaks(self):
        for text in ("Title\n|text", "Title|\ntext", "- item\n| - item", "a\n\n|b"):
            self.assertTrue(self.ends(text), text)

    def test_lines_that_were_broken_at_a_width(self):
        width = wrap_width(WRAPPED)
        self.assertEqual(width, 59)
        self.assertFalse(
            self.ends("declared an initial dividend of five five five five five \n|cts", 59)
        )
        for line in WRAPPED.split("\n")[:2]:
            self.assertFalse(self.ends(f"{line}\n|the rest", width), line)
        self.assertTrue(self.ends("cts per share\n|A new paragraph", width))
        self.assertFalse(self.ends("A short first line\n|goes on", width))
        self.assertFalse(
            self.ends("A line of fifty letters, before an indent was lost\n|Then", width)
        )
        self.assertTrue(self.ends("cts per share\n\n|a new paragraph", width))

    def test_other_texts_have_no_width(self):
        self.assertIsNone(wrap_width("one\ntwo\nthree\nfour"))
        self.assertIsNone(wrap_width("A paragraph. " * 20 + "\n" + "Another one. " * 20))
        # Short items of a list: hardly a line is full.
        items = ["a list of items that are short", "one", "two", "three", "four" * 11, "five"]
        self.assertIsNone(wrap_width("\n".join(items)))


class Measured(unittest.TestCase):
    TEXTS = [("a", ALICE), ("b", "今天下雨。明天再说。"), ("c", "Gone."), ("d", "Stays.")]
    FOUND = {"a": [(12, 26)], "b": [(0, 15)], "c": [(0, 5)]}

    def test_sums(self):
        result = measure(self.TEXTS, self.FOUND)
        self.assertEqual((result.bytes, result.cut), (42 + 30 + 5 + 6, 14 + 15 + 5))
        self.assertEqual((result.touched, result.whole, result.places), (3, 1, 2))
        self.assertEqual(list(result.of_kind.values()), [0, 0, 1, 1])
        self.assertEqual(result.cells()[0], "40.96 %")
        self.assertEqual(result.cells()[-1], "1 (50.0 %)")

    def test_what_is_left_elsewhere_is_not_lost(self):
        texts = [("a", ALICE), ("b", f"He said: {ALICE} And more."), ("c", "Gone.")]
        whole = {"a": [(0, len(ALICE))]}
        self.assertIsNone(measure(texts, whole).lost)
        self.assertEqual(measure(texts, whole, lost=20).lost, 0)
        self.assertEqual(measure(texts, {**whole, "b": [(9, 51)]}, lost=20).lost, 1)
        # Halves that meet where something was cut are no copy.
        self.assertEqual(
            measure(
                [("a", "one two"), ("b", "on|e two")], {"a": [(0, 7)], "b": [(2, 3)]}, lost=9
            ).lost,
            1,
        )
        # Two lines that were cut one after the other stand in two places.
        lines = [("a", "one\n"), ("b", "two\n"), ("c", "two\none\n")]
        self.assertEqual(measure(lines, {"c": [(0, 4), (4, 8)]}, lost=20).lost, 0)
        half = measure(texts, {**whole, "c": [(0, 5)]}, lost=400).lost
        self.assertAlmostEqual(half, 5 / (5 + len(ALICE)), delta=0.06)

    def test_spans_of_no_document_are_refused(self):
        with self.assertRaises(SystemExit):
            measure(self.TEXTS, {"e": [(0, 1)]})

    def test_rows_that_stay_were_not_cut(self):
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "passages.jsonl"
            row = {"start_byte": 3, "end_byte": 9}
            write_rows(
                file,
                [{"id": "a", "stays": True, **row}, {"id": 7, "stays": False, **row}],
            )
            self.assertEqual(spans(file), {"7": [(3, 9)]})

    def test_a_row_may_have_two_texts_and_a_text_stand_in_two_rows(self):
        row = {"id": 1, "a_id": "x", "text_a": "X", "b_id": "y", "text_b": "Y"}
        again = {"id": 2, "a_id": "y", "text_a": "Y", "b_id": "z", "text_b": "Z"}
        self.assertEqual(list(texts_of([row, again])), [("x", "X"), ("y", "Y"), ("z", "Z")])
        with self.assertRaises(SystemExit):
            list(texts_of([row, {**again, "text_a": "other"}]))
        with self.assertRaises(SystemExit):
            list(texts_of([{"id": 1, "text": "X"}, {"id": 1, "text": "X"}]))

    def test_a_sample_is_drawn_by_its_seed(self):
        texts = [(str(number), f"Text {number} here. It ends.") for number in range(50)]
        found = {name: [(0, 5)] for name, _ in texts}
        drawn = measure(texts, found, 5, 1).sample
        self.assertEqual(drawn, measure(texts, found, 5, 1).sample)
        self.assertNotEqual(drawn, measure(texts, found, 5, 2).sample)
        self.assertEqual(len(drawn), 5)
        with tempfile.TemporaryDirectory() as name:
            write_sample(Path(name) / "sample.txt", drawn)
            self.assertIn("⟦Text ⟧", (Path(name) / "sample.txt").read_text(encoding="utf-8"))

    def test_compressed_corpora(self):
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "one.jsonl.zst"
            line = json.dumps({"id": 1, "text": "好"}).encode() + b"\n"
            file.write_bytes(zstandard.ZstdCompressor().compress(line))
            self.assertEqual(list(documents(file)), [("1", "好")])


if __name__ == "__main__":
    unittest.main()
