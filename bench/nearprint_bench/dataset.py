"""Texts with their duplicate pairs, and the counts of found pairs against them."""

import random
from dataclasses import dataclass, field

from .data import write_rows


@dataclass
class Dataset:
    """Texts, their duplicate pairs, and rules for the found pairs that count."""

    name: str
    language: str
    texts: list
    truth: set
    judged: set = None  # the only pairs that count, if given
    excused: callable = None  # true of a false pair that is left out of the count
    right: callable = None  # true of a right pair that is not listed
    labels: dict = field(default_factory=dict)  # pair -> label, for a report by label
    memory: dict = field(default_factory=dict)

    def once(self, decide, pair):
        if pair not in self.memory:
            self.memory[pair] = decide(*pair)
        return self.memory[pair]

    def count(self, found):
        """Precision, recall and F1 of found pairs, and the numbers behind them."""
        if self.judged is not None:
            found = found & self.judged
        others, hits = found - self.truth, len(found & self.truth)
        good = 0
        if self.excused:
            others = {p for p in others if not self.once(self.excused, p)}
        if self.right and len(others) <= 20000:
            good = sum(self.once(self.right, p) for p in others)
        elif self.right:
            sample = random.Random(2).sample(sorted(others), 20000)
            good = sum(self.once(self.right, p) for p in sample) * len(others) / 20000
        precision = (hits + good) / max(1, hits + len(others))
        recall = hits / max(1, len(self.truth))
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
        return {
            "precision": round(precision, 4),
            "recall": round(recall, 4),
            "f1": round(f1, 4),
            "found": hits + len(others),
            "truth": len(self.truth),
        }

    def write(self, folder):
        """Writes NAME.jsonl and NAME.truth.tsv (left, right, label) for other programs."""
        write_rows(
            folder / f"{self.name}.jsonl", ({"id": i, "text": t} for i, t in enumerate(self.texts))
        )
        with open(folder / f"{self.name}.truth.tsv", "w") as file:
            file.write("left\tright\tlabel\n")
            for a, b in sorted(self.truth):
                file.write(f"{a}\t{b}\t1\n")
            for a, b in sorted((self.judged or set()) - self.truth):
                file.write(f"{a}\t{b}\t0\n")
