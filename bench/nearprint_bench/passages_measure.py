"""What the passages that a tool cut out of a corpus do to the text around them.

    bench/run.sh passages_measure CORPUS SPANS [--lost N] [--sample FILE] [--count N] [--seed N]

CORPUS is JSON Lines with id and text, or several texts in a row, plain or .zst. SPANS is JSON Lines
with id, start_byte and end_byte, in bytes of the text in UTF-8, end excluded. Rows with `stays` true
were not cut. `passages_places` defines the counts.

What is `lost` is an estimate: of bytes drawn from all that was cut, the share that stands in no
remaining text any more with the bytes around it, 100 of the same range or all of a shorter one,
without the blanks at its ends.
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
HEADER = ["text cut", "lost", "documents", "whole ones", "places in others", *KINDS]
WINDOW = 100


@dataclass
class Measured:
    """The sums over a corpus, and a sample of places in their surroundings."""

    bytes: int = 0
    cut: int = 0
    touched: int = 0
    whole: int = 0
    places: int = 0
    lost: float | None = None
    of_kind: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    sample: list[tuple[str, Place, str]] = field(default_factory=list)

    def cells(self) -> list[str]:
        """The cells of `HEADER`."""
        return [
            f"{100 * self.cut / max(1, self.bytes):.2f} %",
            "–" if self.lost is None else f"{100 * self.lost:.0f} %",
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
    lost: int = 0,
) -> Measured:
    """The sums over all places, and `count` of those that are no whole document, drawn at random.

    `lost` bytes are looked for in what is left; all texts are then kept in memory.
    """
    result, random, seen, known = Measured(), Random(seed), 0, set()
    left, gone = [], []
    for name, text in texts:
        if name not in found:
            result.bytes += len(text.encode())
            left += [text.encode()] if lost else []
            continue
        known.add(name)
        document = Text(text)
        result.bytes += len(document.bytes)
        places = document.places(found[name])
        if lost:
            pieces = (document.bytes[slice(*cut)].strip() for cut in found[name])
            gone += filter(None, pieces)
            left += outside(document.bytes, places)
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
    if lost and gone:
        result.lost = share_lost(gone, left, lost, Random(seed))
    return result


def outside(text: bytes, places: list[Place]) -> list[bytes]:
    """What is left of a text, in pieces."""
    ends = [0, *(place.end for place in places)]
    starts = [*(place.start for place in places), len(text)]
    return [text[end:start] for end, start in zip(ends, starts)]


def share_lost(cut: list[bytes], left: list[bytes], count: int, random: Random) -> float:
    """The share of the bytes that were cut, by a draw of so many, which are in no text any more."""
    whole = b"\xff".join(left)  # no byte of UTF-8
    gone = 0
    for piece in random.choices(cut, list(map(len, cut)), k=count):
        at = random.randrange(len(piece))
        start = max(0, min(at - WINDOW // 2, len(piece) - WINDOW))
        gone += piece[start : start + WINDOW] not in whole
    return gone / count


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
    parser.add_argument(
        "--lost",
        metavar="N",
        type=int,
        default=400,
        help="bytes drawn to see what is lost [default: 400]; with 0 less memory is needed",
    )
    parser.add_argument("--sample", metavar="FILE", type=Path, help="places to be read")
    parser.add_argument("--count", metavar="N", type=int, default=40, help="as many [default: 40]")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="draws the sample")
    options = parser.parse_args()
    result = measure(
        documents(options.corpus),
        spans(options.spans),
        options.count if options.sample else 0,
        options.seed,
        options.lost,
    )
    print(markdown(HEADER, [result.cells()]))
    if options.sample:
        write_sample(options.sample, result.sample)


if __name__ == "__main__":
    main()
