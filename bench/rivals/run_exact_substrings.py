"""run_exact_substrings.py PROGRAM CORPUS.jsonl OUTPUT LENGTH: cuts all text that occurs twice.

PROGRAM is that of google-research/deduplicate-text-datasets (Lee et al. 2021, ExactSubstr). Its
commands make, self-similar and collect name the ranges of the text in which each byte belongs to
LENGTH bytes that occur at another place too, of the same document or another one. All of them are
cut, the first occurrence too. The text goes in as its documentation has it: each document begins
with two bytes 255 and its number in four bytes.

With `--tokens VOCABULARY MERGES` after LENGTH, the text goes in as tokens of two bytes, by the
vocabulary of GPT-2, as in the paper; LENGTH still counts bytes.

Writes kept.jsonl, the rows with what is left, and spans.jsonl, the ranges of bytes that were cut. A
range may begin or end inside a character; what is left of one is dropped.
"""

import json
import struct
import subprocess
import sys
from itertools import accumulate
from pathlib import Path


def rows(corpus: Path):
    with open(corpus, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


class Bytes:
    """A text as its bytes."""

    def of(self, text: str) -> bytes:
        return text.encode()

    def places(self, text: str, cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
        return cuts


class Tokens:
    """A text as numbers of tokens, of two bytes each."""

    def __init__(self, vocabulary: str, merges: str):
        from tokenizers import ByteLevelBPETokenizer

        self.tokenizer = ByteLevelBPETokenizer(vocabulary, merges)
        self.lengths = [
            len(self.tokenizer.id_to_token(number) or "")
            for number in range(self.tokenizer.get_vocab_size())
        ]

    def numbers(self, text: str) -> list[int]:
        return self.tokenizer.encode(text).ids

    def of(self, text: str) -> bytes:
        numbers = self.numbers(text)
        return struct.pack(f"<{len(numbers)}H", *numbers)

    def places(self, text: str, cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The bytes of the whole tokens within ranges of their bytes.

        Each character of a token of GPT-2 stands for one byte.
        """
        ends = [0, *accumulate(self.lengths[number] for number in self.numbers(text))]
        of_tokens = [((start + 1) // 2, end // 2) for start, end in cuts]
        return [(ends[first], ends[last]) for first, last in of_tokens if first < last]


def write_data(corpus: Path, data: Path, form) -> list[int]:
    """Writes all texts as one file, and gives where each begins and, last, where all end."""
    starts = []
    with open(data, "wb") as file:
        for number, row in enumerate(rows(corpus)):
            file.write(b"\xff\xff" + struct.pack("<I", number + 1))
            starts.append(file.tell())
            file.write(form.of(row["text"]))
        return [*starts, file.tell() + 6]


def ranges(printed: Path):
    """The ranges that `collect` prints below the line `out`."""
    with open(printed, encoding="utf-8") as file:
        for line in file:
            if line == "out\n":
                break
        for line in file:
            start, end = line.split()
            yield int(start), int(end)


def within(found, starts: list[int]) -> dict[int, list[tuple[int, int]]]:
    """The ranges by document, without what they have of the bytes between documents."""
    of = {}
    number = 0
    for start, end in found:
        while starts[number + 1] - 6 <= start and number + 2 < len(starts):
            number += 1
        place = number
        while place + 1 < len(starts) and starts[place] < end:
            first = max(start, starts[place]) - starts[place]
            last = min(end, starts[place + 1] - 6) - starts[place]
            if first < last:
                of.setdefault(place, []).append((first, last))
            place += 1
    return of


def without(data: bytes, cuts: list[tuple[int, int]]) -> bytes:
    """The bytes outside the ranges."""
    kept, end = [], 0
    for start, next_end in cuts:
        kept.append(data[end:start])
        end = next_end
    return b"".join([*kept, data[end:]])


def main():
    program, corpus, output, length = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
    form = Tokens(*sys.argv[6:8]) if sys.argv[5:6] == ["--tokens"] else Bytes()
    data, cache, printed = output / "data", output / "cache", output / "ranges"
    starts = write_data(corpus, data, form)
    subprocess.run([program, "make", "--data-file", data], check=True)
    found = ["--data-file", data, "--length-threshold", length, "--cache-dir", cache]
    subprocess.run([program, "self-similar", *found, "--num-threads", "1"], check=True)
    with open(printed, "wb") as file:
        subprocess.run([program, "collect", *found], check=True, stdout=file)
    cuts = within(ranges(printed), starts)
    with (
        open(output / "kept.jsonl", "w", encoding="utf-8") as kept,
        open(output / "spans.jsonl", "w", encoding="utf-8") as spans,
    ):
        for number, row in enumerate(rows(corpus)):
            if number in cuts:
                places = form.places(row["text"], cuts[number])
                for start, end in places:
                    span = {"id": row["id"], "start_byte": start, "end_byte": end}
                    spans.write(json.dumps(span, ensure_ascii=False) + "\n")
                row["text"] = without(row["text"].encode(), places).decode(errors="ignore")
            kept.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
