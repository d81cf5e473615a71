"""Coverage and the Jaccard similarity of word n-grams, on texts changed in known ways.

    bench/run.sh measures --data FOLDER [--count N] [--seed N]

Articles are drawn by seed. The changes are those of the hard cases and of bench/experiments.md.
`nearprint compare` compares every pair. Prints a table with the 5th to the 95th percentile of each
measure.
"""

import argparse
import json
import random
import subprocess
import tempfile
from pathlib import Path

import numpy

from . import corpora, nearprint, rewrites, templates, words
from .edits import edit
from .pages import markdown

POOL = 1200
PERCENTILES = (5, 95)


def edited(share):
    """A change that edits this share of the words, in runs of one to five."""

    def change(drawn):
        text = drawn.article().text
        return text, words.join(*edit(*words.cut(text), share, drawn.rng, drawn.supply))

    return change


def misread(drawn):
    text = drawn.article().text
    return text, rewrites.misread(text, 0.05, 0.5, drawn.vocabulary, drawn.rng)


def framed(drawn):
    """An article on two sites, each with its own header and footer."""
    text = drawn.article().text
    return tuple(
        templates.Site(drawn.filler, drawn.titles, drawn.sentence).around(text, 0.3)
        for _ in range(2)
    )


def half_of_another(drawn):
    one, other = drawn.two()
    return one, one[: rewrites.sentence_end(one, 0.5)] + "\n" + other[
        rewrites.sentence_end(other, 0.5) :
    ]


def cut_to_half(drawn):
    text = drawn.article().text
    return text, text[: rewrites.sentence_end(text, 0.5)]


def joined(drawn):
    one, other = drawn.two()
    return one, f"{one}\n{other}"


CHANGES = [
    ("20 % of the words edited, runs of 1 to 5", edited(0.2), ("zh", "en")),
    ("40 % of the words edited, runs of 1 to 5", edited(0.4), ("zh", "en")),
    ("5 % wrong characters", misread, ("zh", "en")),
    ("a frame of 30 %, each site its own", framed, ("zh", "en")),
    ("half is another's", half_of_another, ("zh", "en")),
    ("cut to half", cut_to_half, ("zh", "en")),
    ("joined with another of like length", joined, ("zh", "en")),
]
LANGUAGES = {"zh": "Chinese", "en": "English"}
MEASURES = ("jaccard", "coverage")


class Drawn:
    """Articles of one language, and the sentences and words that changes draw from."""

    def __init__(self, data, language, seed):
        self.rng = random.Random(f"{language} {seed}")
        items = corpora.originals(data, language, POOL, self.rng)
        self.vocabulary = rewrites.Vocabulary([item.text for item in items], language)
        self.filler = templates.Filler(language, self.vocabulary, self.rng)
        self.titles = [item.title for item in items if 6 <= len(item.title) <= 80]
        # A sixth of the articles gives sentences and words; changes are made to the others.
        cut = len(items) // 6
        self.fresh = [
            text for item in items[:cut] for text in corpora.sentences(item.text, language)
        ]
        self.supply = [word for item in items[:cut] for word in words.cut(item.text)[0]]
        self.items = [
            item for item in items[cut:] if len(item.text) >= (600 if language == "zh" else 1200)
        ]

    def article(self):
        return self.rng.choice(self.items)

    def sentence(self):
        return self.rng.choice(self.fresh)

    def two(self):
        """Two texts whose lengths differ by at most a tenth."""
        one = self.article()
        like = [
            item
            for item in self.items
            if item is not one and 0.9 <= len(item.text) / len(one.text) <= 1.1
        ]
        return (one.text, self.rng.choice(like).text) if like else self.two()


def compared(left, right):
    """Both measures of two texts."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("left.txt", "right.txt")]
        for file, text in zip(files, (left, right)):
            file.write_text(text, encoding="utf-8")
        command = [nearprint.binary(), "compare", "--json", *files]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return [answer[measure] for measure in MEASURES]


def span(values):
    low, high = numpy.percentile(values, PERCENTILES)
    return f"{low:.2f} to {high:.2f}"


def main():
    parser = corpora.arguments(__doc__.split("\n")[0])
    parser.formatter_class = argparse.ArgumentDefaultsHelpFormatter
    parser.add_argument("--count", metavar="N", type=int, default=100, help="pairs of each kind")
    parser.add_argument("--seed", metavar="N", type=int, default=1)
    options = parser.parse_args()
    drawn = {language: Drawn(options.data, language, options.seed) for language in LANGUAGES}
    rows = []
    for what, change, languages in CHANGES:
        for language in languages:
            values = [compared(*change(drawn[language])) for _ in range(options.count)]
            rows.append(
                [f"{what}, {LANGUAGES[language]}", *(span(column) for column in zip(*values))]
            )
    header = ["what happened", "Jaccard of 3-word n-grams", "coverage"]
    print(
        f"{options.count} pairs each, {PERCENTILES[0]}th to {PERCENTILES[1]}th percentile\n\n{markdown(header, rows)}"
    )


if __name__ == "__main__":
    main()
