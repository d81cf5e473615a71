"""What the passages that a tool cut out of a corpus do to the text around them.

    bench/run.sh passages_measure CORPUS SPANS [--sample FILE] [--count N] [--seed N]

CORPUS is JSON Lines with id and text, or several texts in a row, plain or .zst. SPANS is JSON Lines
with id, start_byte and end_byte, in bytes of the text in UTF-8, end excluded. Rows with `stays` true
were not cut. `passages_places` defines the counts.
"""

import argparse
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import zstandard

from .pages import markdown
from .passages_places import Place, Text

KINDS = {
    "within a letter": "within_letter",
    "torn": "torn",
    "joined": "joined",
    "in a sentence": "in_sentence",
}
HEADER = ["text cut", "documents", "whole ones", "places in others", *KINDS]


@dataclass
class Measured:
    """The sums over a corpus, and a sample of places in their surroundings."""

    bytes: int = 0
    cut: int = 0
    touched: int = 0
    whole: int = 0
    places: int = 0
    of_kind: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    sample: list[tuple[str, Place, str]] = field(default_factory=list)

    def cells(self) -> list[str]:
        """The cells of `HEADER`."""
        return [
            f"{100 * self.cut / max(1, self.bytes):.2f} %",
            f"{self.touched:,}",
            f"{self.whole:,}",
            f"{self.places:,}",
            *(
                f"{count:,} ({100 * count / max(1, self.places):.1f} %)"
                for count in self.of_kind.values()
            ),
        ]


def documents(path: Path) -> Iterator[tuple[str, str]]:
    """The ids and texts of a corpus of JSON Lines."""
    with open(path, "rb") as file:
        plain = zstandard.ZstdDecompressor().stream_reader(file) if path.suffix == ".zst" else file
        yield from texts_of(map(json.loads, io.TextIOWrapper(plain, encoding="utf-8")))


def texts_of(rows: Iterable[dict]) -> Iterator[tuple[str, str]]:
    """The ids and texts of rows, once for each id.

    A row with two texts, `text_a` and `text_b`, has their ids in `a_id` and `b_id`.
    """
    seen = {}
    for row in rows:
        both = [("id", "text")] if "text" in row else [("a_id", "text_a"), ("b_id", "text_b")]
        for id_field, text_field in both:
            name, text = str(row[id_field]), row[text_field]
            if name not in seen:
                seen[name] = hash(text)
                yield name, text
            elif seen[name] != hash(text) or id_field == "id":
                raise SystemExit(f"two documents have the id {name}")


def spans(path: Path) -> dict[str, list[tuple[int, int]]]:
    """The ranges that were cut, by id."""
    found = defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for row in map(json.loads, file):
            if not row.get("stays", False):
                found[str(row["id"])].append((row["start_byte"], row["end_byte"]))
    return found


def measure(
    texts: Iterable[tuple[str, str]],
    found: dict[str, list[tuple[int, int]]],
    count: int = 0,
    seed: int = 1,
) -> Measured:
    """The sums over all places, and `count` of those that are no whole document, drawn at random."""
    result, random, seen, known = Measured(), Random(seed), 0, set()
    for name, text in texts:
        if name not in found:
            result.bytes += len(text.encode())
            continue
        known.add(name)
        document = Text(text)
        result.bytes += len(document.bytes)
        places = document.places(found[name])
        result.touched += bool(places)
        for place in places:
            result.cut += place.end - place.start
            if place.whole:
                result.whole += 1
                continue
            result.places += 1
            for kind, flag in KINDS.items():
                result.of_kind[kind] += getattr(place, flag)
            if not count:
                continue
            seen += 1
            at = len(result.sample) if len(result.sample) < count else random.randrange(seen)
            if at < count:
                result.sample[at : at + 1] = [(name, place, document.shown(place))]
    if unknown := found.keys() - known:
        raise SystemExit(f"the corpus has no document {min(unknown)}")
    return result


def write_sample(path: Path, sample: list[tuple[str, Place, str]]) -> None:
    """Writes the places for reading, each with what is said of it."""
    with open(path, "w", encoding="utf-8") as file:
        for number, (name, place, shown) in enumerate(sample, 1):
            said = [kind for kind, flag in KINDS.items() if getattr(place, flag)]
            file.write(
                f"=== {number}. {name}, bytes {place.start} to {place.end}: "
                f"{', '.join(said) or 'clean'}\n{shown}\n\n"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", metavar="CORPUS", type=Path, help="JSON Lines, plain or .zst")
    parser.add_argument("spans", metavar="SPANS", type=Path, help="id, start_byte, end_byte")
    parser.add_argument("--sample", metavar="FILE", type=Path, help="places to be read")
    parser.add_argument("--count", metavar="N", type=int, default=40, help="as many [default: 40]")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="draws the sample")
    options = parser.parse_args()
    result = measure(
        documents(options.corpus),
        spans(options.spans),
        options.count if options.sample else 0,
        options.seed,
    )
    print(markdown(HEADER, [result.cells()]))
    if options.sample:
        write_sample(options.sample, result.sample)


if __name__ == "__main__":
    main()
