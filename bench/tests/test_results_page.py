"""Tests that the page of results follows from its data and template, and uses all of the data."""

import json
import unittest

from nearprint_bench.results_page import PAGE, RESULTS, TEMPLATE, names, render

DATA = json.loads(RESULTS.read_text(encoding="utf-8"))
TEXT = TEMPLATE.read_text(encoding="utf-8")
PARTS = {"machine", "date", "corpus", "measured", "command"}


class Page(unittest.TestCase):
    def test_it_is_as_the_data_have_it(self):
        self.assertEqual(
            PAGE.read_text(encoding="utf-8"),
            render(DATA, TEXT),
            "docs/results.md is not as bench/results.json has it; bench/run.sh results_page writes it anew",
        )

    def test_everything_is_shown_once(self):
        there = ["machines"]
        for name, group in DATA["groups"].items():
            parts = ["about", *(["table"] if "table" in group else []), *group.get("figures", {})]
            there += [f"{name}.{part}" for part in parts]
        self.assertEqual(sorted(names(TEXT)), sorted(there))


class Groups(unittest.TestCase):
    def test_each_says_how_it_was_measured(self):
        for name, group in DATA["groups"].items():
            self.assertEqual(set(group) - {"table", "figures"}, PARTS, name)
            self.assertIn(group["machine"], [None, *DATA["machines"]], name)
            self.assertTrue(group["corpus"] and group["measured"], name)

    def test_rows_have_a_cell_for_each_column(self):
        for name, group in DATA["groups"].items():
            for row in group.get("table", {"rows": []})["rows"]:
                self.assertEqual(len(row), len(group["table"]["columns"]), f"{name}: {row}")

    def test_the_later_pairs_add_up(self):
        _, *later, everything = DATA["groups"]["judged"]["table"]["rows"]
        self.assertEqual(
            everything[1:], [sum(column) for column in zip(*(row[1:] for row in later))]
        )


if __name__ == "__main__":
    unittest.main()
