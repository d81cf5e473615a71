"""Tests of runs of tools in turns, their output and their pairs."""

import sys
import tempfile
import unittest
from pathlib import Path

from nearprint_bench.peer_runs import HEADER, Peer, Run, alternating, lines, median

SCRIPT = """
import json, sys
prefix, mode = sys.argv[1:]
with open(f"{prefix}.toy-{mode}.out", "w") as out:
    out.write("7\\t3\\nC\\t9\\t1\\t4\\n")
print("a line before")
print(json.dumps({"peer": f"toy-{mode}", "total": {"cpu": 2.5}, "rss_mb": 80}))
"""


class Turns(unittest.TestCase):
    def test_tools_take_turns_and_the_middle_run_counts(self):
        order = []

        class Tool:
            def __init__(self, name):
                self.name = name

            def run(self, prefix, pinned, number):
                order.append((self.name, number))
                return Run([5.0, 1.0, 3.0][number], 10.0 * number, prefix)

        runs = alternating([Tool("a"), Tool("b")], Path("corpus"), [], 3)
        self.assertEqual(order, [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)])
        self.assertEqual(median(runs["b"]), (3.0, 10.0))

    def test_a_script_is_run_with_its_argument_and_its_answer_read(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "run_toy.py").write_text(SCRIPT)
            run = Peer("toy fast", folder, sys.executable).run(folder / "corpus", [], 0)
            self.assertEqual((run.cpu_seconds, run.memory_mb), (2.5, 80))
            self.assertEqual(Peer.pairs(run.found, []), {(3, 7), (1, 4), (1, 9), (4, 9)})
            with self.assertRaises(SystemExit):
                Peer("other", folder, sys.executable)

    def test_speeds_are_those_of_bytes_and_beside_nearprints(self):
        shown = lines(
            "zh", ["文" * 1_000_000], {"nearprint": (0.5, 60, 0.99), "toy": (1.25, 80, 1)}
        )
        self.assertEqual(
            shown[1], ["zh: 1 documents, 3.0 MB", "toy", "1.25", "2.4", "80", "1.0000", "2.50"]
        )
        self.assertEqual([len(line) for line in shown], [len(HEADER)] * 2)


if __name__ == "__main__":
    unittest.main()
