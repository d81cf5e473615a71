"""The recall of reprints of a story, each with its own byline, date, advertisement, frame or edits.

    bench/run.sh reprints --data FOLDER [--seed N] [-- FLAGS OF nearprint dedup]

A family is seven reprints of one story, which differ from each other as seven notices of a template
do. All families of a language are in one corpus.
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from . import nearprint, words
from .data import add_data_argument, rows, write_rows
from .edits import edit

SETS = {"Chinese": ("zh_news", 300), "English": ("en_reuters21578", 800)}
MOST_CHARACTERS = 4000
STORIES = 15
REPRINTS = 7
# Shares of the words edited in each version of a story.
EDITS = (0.025, 0.05, 0.075, 0.1)
WRONG_CHARACTERS = 0.01
PEOPLE = {
    "Chinese": list("王李张刘陈杨赵黄周吴徐孙"),
    "English": "James Mary Robert Linda Michael Susan David Karen Thomas Nancy".split(),
}
END = {"Chinese": "。", "English": "."}


class Reprints:
    """The changes that make a reprint of a story."""

    def __init__(self, language: str, random: Random, sentences: list[str], supply: list[str]):
        self.language, self.random, self.sentences, self.supply = (
            language,
            random,
            sentences,
            supply,
        )

    def byline(self) -> str:
        one, other = self.random.sample(PEOPLE[self.language], 2)
        if self.language == "English":
            place = self.random.choice(["Boston", "Denver", "Austin", "Miami", "Reno", "Omaha"])
            return f"By {one} {other}son, staff correspondent {place}"
        given = self.random.choice("建志文晓海") + self.random.choice("国强华明军")
        return f"（记者 {one}{given} 通讯员 {other}{self.random.choice('丽芳婷静雪')}）"

    def counter(self) -> str:
        number = self.random.randint(100, 99_999)
        return f"Viewed {number} times" if self.language == "English" else f"浏览次数：{number}"

    def date(self) -> str:
        day, month, year = (
            self.random.randint(1, 28),
            self.random.randint(1, 12),
            self.random.randint(2010, 2024),
        )
        return (
            f"Retrieved on {day}/{month}/{year}"
            if self.language == "English"
            else f"抓取时间{year}年{month}月{day}日"
        )

    def block(self, characters: int) -> str:
        block = ""
        while len(block) < characters:
            block += self.random.choice(self.sentences) + END[self.language] + " "
        return block

    def within(self, story: str, line: str) -> str:
        middle = story.find(END[self.language], len(story) // 2) + 1
        return f"{story[:middle]}\n{line}\n{story[middle:]}"

    def edited(self, story: str, share: float) -> str:
        return words.join(*edit(*words.cut(story), share, self.random, self.supply))

    def scanned(self, story: str) -> str:
        """The story with a share of the characters read wrongly."""

        def read(c: str) -> str:
            letters = "abcdefghijklmnopqrstuvwxyz" if c.isascii() else "的一是在不了有和人这"
            return (
                self.random.choice(letters)
                if c.isalpha() and self.random.random() < WRONG_CHARACTERS
                else c
            )

        return "".join(map(read, story))

    def kinds(self) -> dict:
        """The functions that make a reprint of a story, by name."""
        return {
            "byline at the beginning": lambda story: f"{self.byline()}\n{story}",
            "byline at the end": lambda story: f"{story}\n{self.byline()}",
            "headline": lambda story: f"{self.block(10)}\n{story}",
            "counter at the end": lambda story: f"{story}\n{self.counter()}",
            "byline and counter": lambda story: f"{self.byline()}\n{story}\n{self.counter()}",
            "date and counter in the middle": lambda story: self.within(
                story, f"{self.date()}, {self.counter()}"
            ),
            "advertisement in the middle": lambda story: self.within(
                story, self.random.choice(self.sentences)
            ),
            "header and footer of 10 %": lambda story: "\n".join(
                [self.block(len(story) // 10), story, self.block(len(story) // 10)]
            ),
            **{
                f"{share:.1%} of the words edited": lambda story, share=share: self.edited(
                    story, share
                )
                for share in EDITS
            },
            f"{WRONG_CHARACTERS:.0%} wrong characters": self.scanned,
        }


def corpus(texts: list[str], language: str, random: Random) -> list[dict]:
    """The rows of all families; each family has one kind and one story."""
    stories, others = texts[: STORIES * 13], texts[STORIES * 13 :]
    sentences = [
        part.strip()
        for text in others
        for part in text.split(END[language])
        if 12 < len(part.strip()) < 120
    ]
    supply = [word for text in others[:300] for word in words.cut(text)[0]]
    kinds = Reprints(language, random, sentences, supply).kinds()
    assert len(stories) == len(kinds) * STORIES and sentences, "too few stories in the data"
    texts = iter(stories)
    rows = []
    for kind, reprint in kinds.items():
        for number, story in zip(range(STORIES), texts):
            rows += [
                {"id": f"{kind}/{number}/{copy}", "text": reprint(story)}
                for copy in range(REPRINTS)
            ]
    random.shuffle(rows)
    return rows


def removed(rows: list[dict], flags: list[str]) -> tuple[Counter, int]:
    """The numbers of reprints removed by kind, and of those whose keeper is another story."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        write_rows(path, rows)
        found = [
            (row["id"].split("/"), row["keeper"].split("/"))
            for row in nearprint.dedup(path, flags).removed
        ]
    right = Counter(one[0] for one, keeper in found if one[:2] == keeper[:2])
    return right, sum(one[:2] != keeper[:2] for one, keeper in found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_data_argument(parser)
    parser.add_argument("--seed", metavar="N", type=int, default=1)
    options, flags = nearprint.options_and_flags(parser)
    answers = {}
    for language, (name, least) in SETS.items():
        random = Random(options.seed)
        texts = [
            row["text"]
            for row in rows(options.data, name)
            if least <= len(row["text"]) <= MOST_CHARACTERS
        ]
        random.shuffle(texts)
        answers[language] = removed(corpus(list(dict.fromkeys(texts)), language, random), flags)
    print(
        "| each reprint has its own | "
        + " | ".join(answers)
        + " |\n| --- |"
        + " --- |" * len(answers)
    )
    for kind in Reprints("English", Random(0), [], []).kinds():
        cells = " | ".join(str(right[kind]) for right, _ in answers.values())
        print(f"| {kind} | {cells} |")
    print(
        f"\nOf {STORIES * (REPRINTS - 1)} each that may go; removed for another story: {[wrong for _, wrong in answers.values()]}"
    )


if __name__ == "__main__":
    main()
