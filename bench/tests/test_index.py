"""Tests of the queries, costs and recall of an index."""

import sys
import tempfile
import unittest
from argparse import ArgumentTypeError
from pathlib import Path
from random import Random

from nearprint_bench.data import read_rows, write_rows
from nearprint_bench.index_corpus import EDITED, REPLACED, WINDOW_BYTES, WINDOWS, Texts, write
from nearprint_bench.index_lines import HEADER, found, line, middle
from nearprint_bench.index_rivals import Clock, batches, write_answers
from nearprint_bench.index_tools import (
    Faiss,
    Nearprint,
    Run,
    fingerprints,
    measured,
    tool_of,
    with_making,
)

# Ten thousand distinct English words, and as many Chinese ones.
ENGLISH = Texts(
    [" ".join(f"w{number}x{part}" for part in range(100)) for number in range(100)], "en"
)
CHINESE = Texts(
    [
        "，".join(
            "".join(chr(0x4E00 + (7 * place + 3 * part) % 20000) for part in range(6))
            for place in range(2000)
        )
    ],
    "zh",
)
TEXTS = {"en": ENGLISH, "zh": CHINESE}


class Corpora(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        write(Path(self.folder.name), TEXTS, 200, 100, 3)
        self.documents, self.questions = (
            read_rows(Path(self.folder.name) / f"{name}.jsonl")
            for name in ("documents", "questions")
        )

    def test_half_of_the_questions_are_copies_each_of_another_document(self):
        self.assertEqual([row["id"] for row in self.documents], list(range(200)))
        originals = [row["of"] for row in self.questions if row["of"] is not None]
        self.assertEqual((len(self.questions), len(originals), len(set(originals))), (100, 50, 50))

    def test_a_copy_has_most_words_of_its_original_and_a_new_document_of_none(self):
        words = [set(row["text"].split()) for row in self.documents]
        for row in self.questions:
            own = set(row["text"].split())
            if row["lang"] != "en":
                continue
            shares = [len(own & other) / len(own) for other in words]
            if row["of"] is None:
                self.assertLess(max(shares), 0.6)
            else:
                self.assertGreater(shares[row["of"]], 1 - EDITED[1] - 0.05)
                self.assertNotEqual(row["text"], self.documents[row["of"]]["text"])

    def test_documents_are_of_the_size_and_mix_that_is_said(self):
        sizes = [len(row["text"].encode()) for row in self.documents]
        self.assertAlmostEqual(sum(sizes) / len(sizes), WINDOWS * sum(WINDOW_BYTES) / 2, delta=200)
        self.assertAlmostEqual(sum(row["lang"] == "en" for row in self.documents), 170, delta=20)

    def test_a_seed_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as other:
            write(Path(other), TEXTS, 200, 100, 3)
            for name in ("documents.jsonl", "questions.jsonl"):
                self.assertEqual(
                    (Path(other) / name).read_bytes(), (Path(self.folder.name) / name).read_bytes()
                )

    def test_a_tenth_of_a_window_is_replaced(self):
        places = {token: place for place, token in enumerate(ENGLISH.tokens)}
        window = ENGLISH.window(Random(5))
        start = max(
            set(of := [places[token] - place for place, token in enumerate(window)]), key=of.count
        )
        changed = sum(token != ENGLISH.tokens[start + place] for place, token in enumerate(window))
        self.assertLessEqual(abs(changed - REPLACED * len(window)), 1)


class Answers(unittest.TestCase):
    def test_found_copies_and_other_answers(self):
        questions = [{"id": 0, "of": None}, {"id": 1, "of": 7}, {"id": 2, "of": 9}]
        with tempfile.TemporaryDirectory() as folder:
            write_answers(Path(folder), [(0, [5]), (1, [7, 8]), (2, [])])
            answers = read_rows(Path(folder) / "answers.jsonl")
        self.assertEqual(found(questions, answers), (1, 2))
        answers[1]["more"] = 4
        self.assertEqual(found(questions, answers), (1, 6))

    def test_fingerprints_are_bytes_in_the_order_of_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "fingerprints.jsonl"
            write_rows(
                file, [{"id": 0, "fingerprint": "01" * 32}, {"id": 1, "fingerprint": "ff" * 32}]
            )
            read = fingerprints(file)
        self.assertEqual((read.shape, read[0, 31], read[1, 0]), ((2, 32), 1, 255))


class Costs(unittest.TestCase):
    def test_memory_of_a_process_and_of_no_file(self):
        script = "import time; held = bytearray(100_000_000); held[::4096] = b'x' * len(held[::4096]); time.sleep(0.7); print('done')"
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            cost = measured(sys.executable, "-c", script, out=out)
            self.assertEqual(out.read_text(), "done\n")
        self.assertGreater(cost.seconds, 0.7)
        self.assertGreater(cost.memory_mb, 100)
        if Path("/proc/self/smaps_rollup").exists():
            self.assertGreater(cost.anonymous_mb, 100)

    def test_a_run_that_fails_is_said(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(SystemExit) as said:
            measured(sys.executable, "-c", "raise SystemExit('no room')", out=Path(folder) / "out")
        self.assertIn("no room", str(said.exception))

    def test_parts_add_up(self):
        clock = Clock()
        self.assertEqual([clock.of("add", lambda: number) for number in range(3)], [0, 1, 2])
        self.assertEqual(set(clock.seconds), {"add", "add cpu"})
        self.assertEqual([len(batch) for batch in batches(range(2500))], [1000, 1000, 500])
        figures = {"add": 2.0, "add cpu": 1.0}
        with_making(figures, "add", {"": 3.0, " cpu": 2.0})
        self.assertEqual((figures["add from texts"], figures["add from texts cpu"]), (5.0, 3.0))

    def test_the_middle_run_counts_and_what_a_tool_lacks_is_left_out(self):
        runs = [
            Run(
                {
                    "ask": seconds,
                    "ask cpu": seconds / 2,
                    "ask from texts": 4.0,
                    "ask from texts cpu": 4.0,
                    "memory": 90.0,
                    "anonymous": None,
                },
                [{"id": 0, "matches": [{"id": 3}], "more": 0}],
            )
            for seconds in (5.0, 1.0, 2.0)
        ]
        self.assertEqual(middle(runs)["ask"], 2.0)
        cells = line(1000, tool_of("flat"), runs, [{"id": 0, "of": 3}])
        self.assertEqual(len(cells), len(HEADER))
        self.assertEqual(cells[1:5], ["FAISS IndexBinaryFlat", "–", "–", "1; 0"])
        self.assertEqual(
            line(
                1000,
                tool_of("nearprint"),
                [Run({"memory": 5, "adding memory": 9.0, "bytes": 2e6, "open": 0.5}, [])],
                [],
            )[6:10],
            ["9; 5", "–", "2.0", "0.500"],
        )
        self.assertEqual(cells[5:], ["0; 0", "90; 90", "–", "nothing", "–", "1 of 1", "0"])

    def test_tools_by_their_names(self):
        self.assertIsInstance(tool_of("nearprint"), Nearprint)
        self.assertEqual(
            (tool_of("16x16:2").arguments, tool_of("flat").arguments), ((16, 16, 2), ())
        )
        self.assertEqual(Faiss(12, 20, 1).name, "FAISS IndexBinaryMultiHash 12x20, nflip 1")
        with self.assertRaises(ArgumentTypeError):
            tool_of("16x")


if __name__ == "__main__":
    unittest.main()
