"""Test items, and clean documents with an item in the middle: whole, edited, or without answer."""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from random import Random

from . import words
from .corpora import HAN, joiner, ordinary, sentences
from .data import read_rows
from .edits import edit

SENTENCES = 8  # the least number of sentences of a document
LONGEST = 6000  # the most characters of a document, without its item
EDITS = {"whole": 0, "5 % of the words edited": 0.05, "10 % of the words edited": 0.1}


@dataclass(frozen=True)
class Item:
    """One item of a test set."""

    id: str
    group: str
    question: str
    answer: str

    @property
    def both(self) -> str:
        return f"{self.question}\n{self.answer}"


def letters(text: str) -> int:
    """The number of letters and digits; one of a wide script, such as Chinese, counts two."""
    folded = unicodedata.normalize("NFKC", text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in folded if c.isalnum())


def stretch(length: int, bounds: tuple[int, ...]) -> str:
    """The stretch between two neighboring bounds with the length; the upper bound is exclusive."""
    for low, high in zip(bounds, bounds[1:]):
        if low <= length < high:
            return f"{low}-{high}"
    return f"{bounds[-1]}+" if length >= bounds[-1] else f"under {bounds[0]}"


def language_of(texts: list[str]) -> str:
    """`zh` if at least a fifth of the characters are Han, else `en`."""
    sample = "".join(texts[:200])
    return "zh" if len(HAN.findall(sample)) * 5 >= len(sample) else "en"


def items_of(name: str, path: Path) -> list[Item]:
    """The items of a file, one for each question."""
    first = {}
    for row in read_rows(path):
        if row["question"].strip():
            first.setdefault(
                row["question"], Item(str(row["id"]), name, row["question"], str(row["answer"]))
            )
    return list(first.values())


def drawn(items: list[Item], bounds: tuple[int, ...], count: int, random: Random) -> list[Item]:
    """At most `count` random items of each stretch of lengths."""
    stretches = {}
    for item in items:
        stretches.setdefault(stretch(letters(item.question), bounds), []).append(item)
    stretches.pop(f"under {bounds[0]}", None)
    return [
        item
        for key in sorted(stretches)
        for item in random.sample(stretches[key], min(count, len(stretches[key])))
    ]


def carriers(texts: list[str], language: str, count: int, random: Random) -> list[list[str]]:
    """The sentences of `count` running texts, each of at least SENTENCES sentences."""
    found = []
    for text in random.sample(texts, len(texts)):
        if len(text) <= LONGEST and ordinary(text, language):
            parts = sentences(text, language)
            if len(parts) >= SENTENCES:
                found.append(parts)
                if len(found) == count:
                    return found
    raise SystemExit(
        f"only {len(found)} clean documents of language {language} can hold an item, {count} are needed"
    )


def planted(passage: str, parts: list[str], language: str) -> str:
    """The document of these sentences with the passage in the middle."""
    middle, between = len(parts) // 2, joiner(language)
    return between.join([*parts[:middle], passage, *parts[middle:]])


def edited(text: str, share: float, random: Random, supply: list[str]) -> str:
    """The text with this share of its words edited."""
    return words.join(*edit(*words.cut(text), share, random, supply)) if share else text


def figures(text: str) -> int:
    """The number of numbers in digits."""
    return len(re.findall(r"[0-9]+", text))


def with_other_figures(text: str, share: float, random: Random) -> str:
    """The text with this share of its numbers, rounded, replaced by others of equal length."""
    numbers = list(re.finditer(r"[0-9]+", text))
    for number in sorted(
        random.sample(numbers, round(share * len(numbers))), key=lambda one: -one.start()
    ):
        others = [
            first + "".join(random.choice("0123456789") for _ in number[0][1:])
            for first in "123456789"
            if first != number[0][0]
        ]
        text = text[: number.start()] + random.choice(others) + text[number.end() :]
    return text


def supply_of(parts: list[list[str]]) -> list[str]:
    """The words of these documents, from which edits draw."""
    return [word for document in parts for word in words.cut(" ".join(document))[0]]
