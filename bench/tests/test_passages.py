"""Tests of what the outputs of programs that cut passages become."""

import importlib.util
import tempfile
import time
import unittest
from pathlib import Path

from nearprint_bench.data import write_rows
from nearprint_bench.passages_tools import watched
from nearprint_bench.rival_programs import RIVALS


def script(name: str):
    """The module of a script of bench/rivals."""
    found = importlib.util.spec_from_file_location(name, RIVALS / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


class Rivals(unittest.TestCase):
    def test_ranges_of_all_texts_become_ranges_of_each(self):
        exact = script("run_exact_substrings")
        # Texts of 14, 15 and 20 bytes, each behind six bytes of its own.
        starts = [6, 26, 47, 73]
        found = [(0, 9), (18, 30), (31, 33), (47, 67)]
        self.assertEqual(
            exact.within(found, starts), {0: [(0, 3), (12, 14)], 1: [(0, 4), (5, 7)], 2: [(0, 20)]}
        )
        self.assertEqual(exact.within([(21, 25)], starts), {})
        self.assertEqual(exact.without(b"abcdef", [(0, 1), (3, 4)]), b"bcef")

    def test_texts_lie_behind_each_other(self):
        exact = script("run_exact_substrings")
        with tempfile.TemporaryDirectory() as name:
            corpus, data = Path(name) / "corpus.jsonl", Path(name) / "data"
            write_rows(corpus, [{"id": "a", "text": "one"}, {"id": "b", "text": "二"}])
            starts = exact.write_data(corpus, data, exact.Bytes())
            written = data.read_bytes()
        self.assertEqual(starts, [6, 15, 24])
        self.assertEqual(written, b"\xff\xff\x01\0\0\0one\xff\xff\x02\0\0\0" + "二".encode())

    def test_tokens_are_cut_whole(self):
        exact = script("run_exact_substrings")

        class Words(exact.Tokens):
            lengths = [3, 1, 5]

            def __init__(self):
                pass

            def numbers(self, text):
                return [0, 1, 2, 0]

        words = Words()
        self.assertEqual(len(words.of("one other one")), 8)
        self.assertEqual(words.places("", [(0, 2), (4, 8)]), [(0, 3), (4, 12)])
        self.assertEqual(words.places("", [(1, 5)]), [(3, 4)])
        self.assertEqual(words.places("", [(1, 2)]), [])

    def test_the_ranges_stand_below_the_line_out(self):
        exact = script("run_exact_substrings")
        with tempfile.TemporaryDirectory() as name:
            printed = Path(name) / "ranges"
            printed.write_text("Merging.\nout\n1 5\n7 9\n")
            self.assertEqual(list(exact.ranges(printed)), [(1, 5), (7, 9)])
            printed.write_text("Merging.\nNo duplicates found!\n")
            self.assertEqual(list(exact.ranges(printed)), [])

    def test_characters_of_dolma_become_bytes(self):
        dolma = script("run_dolma")
        self.assertEqual(dolma.of_bytes("一行\nab", [[0, 3, 1], [3, 6, 1]]), [(0, 7), (7, 9)])

    def test_the_most_on_the_disk_counts_what_was_deleted(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)

            def run():
                (folder / "large").write_bytes(b"x" * 2_000_000)
                time.sleep(0.1)
                (folder / "large").unlink()
                return "cost"

            used = watched(run, folder, every=0.01)
        self.assertEqual(used.cost, "cost")
        self.assertGreater(used.disk_mb, 1.9)


if __name__ == "__main__":
    unittest.main()
