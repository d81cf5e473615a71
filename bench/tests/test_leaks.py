"""Tests of items, of documents with items, of the rule of 13 words in a row, and of the counts."""

import json
import os
import tempfile
import unittest
from pathlib import Path
from random import Random
from types import SimpleNamespace

from nearprint_bench import words
from nearprint_bench.leak_counts import flagged_by_length, hits, percent
from nearprint_bench.leak_texts import (
    Item,
    carriers,
    drawn,
    edited,
    items_of,
    language_of,
    letters,
    planted,
    stretch,
    with_other_figures,
)
from nearprint_bench.leak_tools import Decon, Found, Nearprint, measured
from nearprint_bench.ngram_overlap import Overlap

LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"


def item(number: int, question: str) -> Item:
    return Item(f"q{number}", "toy", question, "42")


class Texts(unittest.TestCase):
    def test_letters_are_letters_and_digits_and_chinese_ones_count_two(self):
        self.assertEqual(letters("Is it 12, or 7?"), 9)
        self.assertEqual(letters("你好，world！"), 9)

    def test_a_length_is_in_one_stretch(self):
        shown = [stretch(length, (60, 100, 200)) for length in (59, 60, 99, 100, 200, 900)]
        self.assertEqual(shown, ["under 60", "60-100", "60-100", "100-200", "200+", "200+"])

    def test_language(self):
        self.assertEqual(language_of(["今天 weather 很好，我们出去"]), "zh")
        self.assertEqual(language_of(["the weather of 北京"]), "en")

    def test_a_question_is_taken_once(self):
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "items.jsonl"
            rows = [("a", "Which?", "1"), ("b", "Which?", "2"), ("c", " ", "3"), ("d", "Who?", "4")]
            file.write_text(
                "".join(
                    json.dumps(dict(zip(("id", "question", "answer"), row))) + "\n" for row in rows
                )
            )
            self.assertEqual(
                [(one.id, one.both) for one in items_of("toy", file)],
                [("a", "Which?\n1"), ("d", "Who?\n4")],
            )

    def test_each_stretch_gives_as_many_items_at_most(self):
        items = [
            item(number, "x" * length) for number, length in enumerate([5, *range(20, 40), 70, 80])
        ]
        lengths = [len(one.question) for one in drawn(items, (20, 60), 3, Random(1))]
        self.assertEqual(len(lengths), 5)
        self.assertEqual(sum(length >= 60 for length in lengths), 2)
        self.assertNotIn(5, lengths)

    def test_an_item_stands_between_two_sentences(self):
        self.assertEqual(
            planted("WHO?", ["A b.", "C d.", "E f.", "G h."], "en"), "A b. C d. WHO? E f. G h."
        )
        self.assertEqual(planted("谁？", ["甲。", "乙。"], "zh"), "甲。谁？乙。")

    def test_documents_are_running_text_and_enough_of_them(self):
        text = " ".join(f"This is the {word} sentence of it." for word in LONG.split())
        self.assertEqual(len(carriers([text, "1 2 3 4"], "en", 1, Random(0))[0]), 14)
        with self.assertRaises(SystemExit):
            carriers([text], "en", 2, Random(0))

    def test_no_edit_is_the_text_and_a_share_of_its_words_is_edited(self):
        self.assertEqual(edited(LONG, 0, Random(0), ["new"]), LONG)
        text = " ".join(f"word{number}" for number in "abcdefghijklmnopqrst" * 2)
        changed = edited(text, 0.1, Random(3), ["new"])
        self.assertNotEqual(changed, text)
        self.assertGreaterEqual(
            len(set(words.words(text, "en")) & set(words.words(changed, "en"))), 16
        )

    def test_a_share_of_the_figures_is_replaced_by_as_many_digits(self):
        changed = with_other_figures("7 of 120 in 1,999 and 3", 1, Random(0))
        self.assertRegex(changed, r"^[1-689] of [2-9]\d\d in [2-9],[1-8]\d\d and [124-9]$")
        halves = with_other_figures("1 2 3 4", 0.5, Random(0)).split()
        self.assertEqual(sum(one == other for one, other in zip(halves, "1234")), 2)
        self.assertEqual(with_other_figures("no figures", 1, Random(0)), "no figures")


class InARow(unittest.TestCase):
    def test_thirteen_words_are_found_whatever_their_case_and_marks_twelve_are_not(self):
        overlap = Overlap([{"id": "a", "text": LONG}], "en")
        inside = LONG.replace(" four ", " FOUR, ")
        self.assertEqual(list(overlap.find(f"so {inside} it goes")), ["a"])
        self.assertEqual(overlap.find("so " + " ".join(LONG.split()[:12]) + " it goes"), {})

    def test_a_shorter_item_counts_as_a_whole(self):
        overlap = Overlap(
            [
                {"id": "a", "text": "Who sells fresh eggs?"},
                {"id": "b", "text": "..."},
                {"id": "c", "text": "Who sells?"},
            ],
            "en",
        )
        self.assertEqual(
            overlap.find("the man who sells fresh eggs"), {"a": "who sells fresh eggs"}
        )
        self.assertEqual(overlap.find("the man who sells no fresh eggs"), {})

    def test_chinese_words_are_those_of_jieba(self):
        overlap = Overlap([{"id": "a", "text": "在农业生产中最主要的生产资料是"}], "zh")
        self.assertEqual(
            list(overlap.find("我们说，在农业生产中，最主要的生产资料是土地。")), ["a"]
        )


class Counts(unittest.TestCase):
    def test_a_document_counts_where_its_own_item_is_found(self):
        items = [item(0, "Who?"), item(1, "What?"), item(2, "Why?")]
        answer = SimpleNamespace(found=[Found(0, "q0", ""), Found(1, "q2", ""), Found(9, "q1", "")])
        self.assertEqual(hits(answer, items), [True, False, False])
        self.assertEqual((percent([True, False, False]), percent([])), ("33.3", "-"))

    def test_a_document_is_flagged_once_in_each_stretch(self):
        items = {"a": item(0, "x" * 25), "b": item(1, "x" * 26), "c": item(2, "x" * 70)}
        found = [Found(1, "a", ""), Found(1, "b", ""), Found(1, "c", ""), Found(2, "c", "")]
        self.assertEqual(flagged_by_length(found, items, (20, 60)), {"20-60": 1, "60+": 2})


class Tools(unittest.TestCase):
    def test_a_passage_is_a_range_of_characters_or_the_whole_text(self):
        self.assertEqual(Nearprint.passage({"first": 1, "last": 2}, "一二三四"), "二三")
        self.assertEqual(Nearprint.passage({"first": None, "last": None}, "一二三四"), "一二三四")

    def test_decon_gets_answers_only_when_asked_to_look_for_them(self):
        self.assertNotIn("answer", Decon(Path("decon")).row(3, item(0, "Who?")))
        self.assertEqual(Decon(Path("decon"), answers=True).row(3, item(0, "Who?"))["answer"], "42")

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_process_is_measured_and_a_failing_one_is_named(self):
        seconds, megabytes = measured("sh", "-c", "true")
        self.assertTrue(0 <= seconds < 10 and megabytes > 0.1)
        with self.assertRaises(SystemExit):
            measured("sh", "-c", "exit 3")


if __name__ == "__main__":
    unittest.main()
