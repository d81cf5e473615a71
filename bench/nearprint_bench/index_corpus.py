"""Documents for an index, and queries: half new documents, half edited copies of documents in it.

A document has some 2,000 bytes: five windows of real texts, from random places of different
articles, with a tenth of the words replaced by others. The English texts have only 9,000 windows of
2,000 bytes, so with one window each most of a million documents would nearly be copies. With five,
unrelated documents rarely share a window, and the planted copies are the only ones.
"""

import json
from array import array
from bisect import bisect_left
from itertools import accumulate
from pathlib import Path
from random import Random

from . import words
from .data import rows
from .edits import edit

SETS = {
    "en": ("en_reuters21578", "en_minhash_articles"),
    "zh": ("zh_news", "zh_xwlb", "zh_lctt", "zh_juejin", "zh_laws"),
}
ENGLISH = 0.85
WINDOWS = 5
WINDOW_BYTES = (200, 600)
REPLACED = 0.10
EDITED = (0.05, 0.15)
QUESTIONS = 10_000


class Texts:
    """The texts of a language, one after the other, as tokens."""

    def __init__(self, texts, language: str):
        self.language = language
        self.blank = " " if language == "en" else ""
        split = str.split if language == "en" else words.rjieba.cut
        one = {}  # one string for equal tokens, of which there are forty million
        self.tokens = [one.setdefault(token, token) for text in texts for token in split(text)]
        self.ends = array(
            "q", accumulate(len(token.encode()) + len(self.blank) for token in self.tokens)
        )
        self.supply = [token for token in self.tokens if words.is_word(token)]

    def window(self, random: Random) -> list[str]:
        """Tokens from a random place on, a tenth of them replaced."""
        start = random.randrange(len(self.tokens))
        end = bisect_left(self.ends, self.ends[start] + random.randint(*WINDOW_BYTES))
        window = self.tokens[start : end + 1]
        for place in random.sample(range(len(window)), round(REPLACED * len(window))):
            window[place] = random.choice(self.supply)
        return window

    def document(self, random: Random) -> str:
        """A new document of random windows."""
        return self.blank.join(token for _ in range(WINDOWS) for token in self.window(random))

    def copy(self, text: str, random: Random) -> str:
        """The document with 5 to 15 % of its words replaced, in runs of one to five."""
        return words.join(
            *edit(*words.cut(text), random.uniform(*EDITED), random, self.supply, ("replace",))
        )


def texts_of(data: Path) -> dict[str, Texts]:
    """All texts of the folder, by language."""
    return {
        language: Texts((row["text"] for name in names for row in rows(data, name)), language)
        for language, names in SETS.items()
    }


def drawn(texts: dict[str, Texts], random: Random, english: float = ENGLISH) -> dict:
    """A new document in one of the languages, English with this probability."""
    language = "en" if random.random() < english else "zh"
    return {"lang": language, "text": texts[language].document(random)}


def documents(texts: dict[str, Texts], count: int, seed: int = 1):
    """Rows of documents, with their numbers as ids."""
    random = Random(seed)
    for number in range(count):
        yield {"id": number, **drawn(texts, random)}


def questions(texts: dict[str, Texts], asked: int, copied: dict[int, dict], seed: int = 1):
    """Rows of queries; `of` is the original of an edited copy, and None for a new document."""
    random = Random(f"questions {seed}")
    originals = sorted(copied)
    random.shuffle(originals)
    for number in range(asked):
        if number % 2 and originals:
            of = originals.pop()
            row = copied[of]
            yield {
                "id": number,
                "of": of,
                "lang": row["lang"],
                "text": texts[row["lang"]].copy(row["text"], random),
            }
        else:
            yield {"id": number, "of": None, **drawn(texts, random)}


def write(folder: Path, texts: dict[str, Texts], count: int, asked: int, seed: int = 1) -> None:
    """Writes documents.jsonl and questions.jsonl. No document is copied twice."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = set(Random(f"copied {seed}").sample(range(count), min(asked // 2, count)))
    copied = {}
    with open(folder / "documents.jsonl", "w", encoding="utf-8") as file:
        for row in documents(texts, count, seed):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            if row["id"] in chosen:
                copied[row["id"]] = row
    with open(folder / "questions.jsonl", "w", encoding="utf-8") as file:
        for row in questions(texts, asked, copied, seed):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
