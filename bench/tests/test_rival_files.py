"""Tests of the costs, kept documents and removals of other programs."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

from nearprint_bench.data import write_rows
from nearprint_bench.rival_counts import Corpus, alike_pairs, shingled
from nearprint_bench.rival_programs import Cost, Datatrove, measured
from nearprint_bench.rival_runs import alternating, line

WORDS = [f"word{number}" for number in range(40)]
TEXT = " ".join(WORDS)
EDITED = " ".join([*WORDS[:20], "other", *WORDS[21:]])
TEXTS = [TEXT, EDITED, "nothing of this stands in any other text", TEXT]


def corpus() -> Corpus:
    return Corpus(
        "en",
        "en",
        TEXTS,
        TEXTS,
        {(0, 1)},
        lambda found: {"precision": 1.0, "recall": 0.5, "f1": 2 / 3},
    )


class Counts(unittest.TestCase):
    def test_pairs_at_a_similarity_are_all_of_them(self):
        # The texts have 38 n-grams each, 35 in common and 41 in all.
        self.assertEqual(alike_pairs(shingled(TEXTS, "en"), 0.85), {(0, 1), (0, 3), (1, 3)})
        self.assertEqual(alike_pairs(shingled(TEXTS, "en"), 0.86), {(0, 3)})

    def test_a_removal_is_wrong_where_nothing_like_it_stays(self):
        self.assertEqual(corpus().wrongly_removed({1}), [2])
        self.assertEqual(corpus().wrongly_removed({2}), [0, 1, 3])
        self.assertEqual(corpus().wrongly_removed({0, 1, 2, 3}), [])

    def test_a_copy_is_left_where_both_stay(self):
        self.assertEqual(corpus().left({0, 1}), {(0, 1)})
        self.assertEqual(corpus().left({1, 2, 3}), set())


class Runs(unittest.TestCase):
    def test_tools_take_turns_and_the_middle_run_counts(self):
        order = []

        class Tool:
            def __init__(self, name):
                self.name = name

            def run(self, file, language, output, pinned):
                order.append(self.name)
                rows = [json.loads(row) for row in file.read_text().splitlines()]
                write_rows(output / "kept.jsonl", rows[:3])
                number = order.count(self.name)
                return Cost([5.0, 1.0, 3.0][number - 1], 10.0 * number, 100.0)

            def kept(self, output):
                return {
                    int(json.loads(row)["id"])
                    for row in (output / "kept.jsonl").read_text().splitlines()
                }

            def pairs(self, output, texts):
                return {(0, 3)}

        with tempfile.TemporaryDirectory() as work:
            tools = [Tool("a"), Tool("b")]
            costs = alternating(tools, corpus(), Path(work), [], 3)
            self.assertEqual(order, ["a", "b", "a", "b", "a", "b"])
            cells = line(corpus(), tools[1], costs["b"], Path(work) / "b")
        self.assertEqual(cells[1:4], ["b", "3.00", "20.00"])
        self.assertEqual(cells[5:], ["100", "1", "0", "1 of 1", "1.0000", "0.5000", "0.6667"])

    def test_the_time_of_processes_that_a_tool_leaves_counts(self):
        spin = "import os, time; begun = time.process_time()\nif not os.fork():\n while time.process_time() < 0.3: pass"
        with tempfile.TemporaryDirectory() as work:
            self.assertGreater(
                measured(sys.executable, "-c", spin, folder=Path(work)).cpu_seconds, 0.25
            )

    def test_a_run_that_fails_is_said(self):
        with tempfile.TemporaryDirectory() as work, self.assertRaises(SystemExit):
            measured(sys.executable, "-c", "raise SystemExit(3)", folder=Path(work))


class Answers(unittest.TestCase):
    def test_clusters_of_datatrove(self):
        with tempfile.TemporaryDirectory() as name:
            output = Path(name)
            for folder in ("kept", "excluded"):
                (output / folder).mkdir()
            write_rows(
                output / "kept" / "00000.jsonl",
                [
                    {"id": "1", "metadata": {"minhash_cluster_id": 7}},
                    {"id": "2", "metadata": {"minhash_cluster_id": -1}},
                ],
            )
            write_rows(
                output / "excluded" / "00000.jsonl",
                [{"id": "0", "metadata": {"minhash_cluster_id": 7}}],
            )
            self.assertEqual(Datatrove().kept(output), {1, 2})
            self.assertEqual(Datatrove().pairs(output, TEXTS), {(0, 1)})


if __name__ == "__main__":
    unittest.main()
