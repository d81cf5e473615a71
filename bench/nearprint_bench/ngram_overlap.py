"""Finds documents that share 13 words in a row with a test item (Brown et al. 2020, Appendix C).

    python -m nearprint_bench.ngram_overlap LANGUAGE TRAIN ITEMS OUTPUT

Words are in lower case and without punctuation; jieba cuts Chinese. An item of four to 12 words
counts as a whole, as in the paper's clean benchmarks; shorter items do not count. TRAIN and ITEMS
have the fields `id` and `text`; a row of OUTPUT has `id`, `item` and the words.
"""

import json
import re
import sys
from pathlib import Path

import rjieba

from .data import write_rows

LENGTH = 13
FEWEST = 4


def cut(text: str, language: str) -> list[str]:
    """The words of a text, in lower case."""
    if language == "zh":
        return [word for word in rjieba.cut(text.lower()) if any(c.isalnum() for c in word)]
    return re.findall(r"[^\W_]+", re.sub(r"['’]", "", text.lower()))


class Overlap:
    """The n-grams of all items, and the lengths of n-grams by their first words."""

    def __init__(self, items: list[dict], language: str):
        self.language, self.grams, self.lengths = language, {}, {}
        for item in items:
            words = cut(item["text"], language)
            length = min(len(words), LENGTH)
            for start in range(len(words) - length + 1 if length >= FEWEST else 0):
                gram = tuple(words[start : start + length])
                self.grams.setdefault(gram, set()).add(item["id"])
                self.lengths.setdefault(gram[:FEWEST], set()).add(length)

    def find(self, text: str) -> dict[str, str]:
        """The items that share an n-gram with the text, each with its first shared n-gram."""
        words, found = cut(text, self.language), {}
        for start, first in enumerate(zip(*(words[number:] for number in range(FEWEST)))):
            for length in self.lengths.get(first, ()):
                for item in self.grams.get(tuple(words[start : start + length]), ()):
                    found.setdefault(item, " ".join(words[start : start + length]))
        return found


def main():
    language, train, items, output = sys.argv[1], *map(Path, sys.argv[2:])
    with open(items, encoding="utf-8") as file:
        overlap = Overlap([json.loads(line) for line in file], language)
    with open(train, encoding="utf-8") as file:
        rows = map(json.loads, file)
        write_rows(
            output,
            (
                {"id": row["id"], "item": item, "passage": words}
                for row in rows
                for item, words in overlap.find(row["text"]).items()
            ),
        )


if __name__ == "__main__":
    main()
