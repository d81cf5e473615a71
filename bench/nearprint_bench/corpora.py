"""Articles of the data folder: sentences, paragraphs, and originals without near-duplicates."""

import argparse
import re
import zlib
from dataclasses import dataclass, field

from .data import add_data_argument, rows

HAN = re.compile("[\u4e00-\u9fff]")
SHINGLE = {"zh": 5, "en": 9}  # characters, letters and digits only


def arguments(description):
    """A parser with the options that all experiments have."""
    parser = argparse.ArgumentParser(description=description)
    add_data_argument(parser)
    return parser


def bare(text):
    """The letters and digits of a text, in lower case."""
    return "".join(c for c in text.lower() if c.isalnum())


def shingles(text, size):
    """The set of hashes of the character shingles of the bare text, the same in every run."""
    text = bare(text)
    return {zlib.crc32(text[i : i + size].encode()) for i in range(max(1, len(text) - size + 1))}


def sentences(text, language):
    """The sentences of a text with their closing marks.

    A line feed ends a sentence in Chinese, but not in English newswire.
    """
    if language == "zh":
        found = []
        for line in text.split("\n"):
            found += re.findall(r"[^。！？]+[。！？]?[”’」』）]*", line)
        return [s.strip() for s in found if s.strip()]
    text = " ".join(text.split())
    return [
        s
        for s in re.split(r"(?<=[.!?][\"')])\s+(?=[A-Z])|(?<=[a-z0-9)][.!?])\s+(?=[\"'(A-Z])", text)
        if s
    ]


def joiner(language):
    return "" if language == "zh" else " "


@dataclass
class Original:
    """An article as a list of paragraphs."""

    source: str
    title: str
    paragraphs: list = field(default_factory=list)

    @property
    def text(self):
        return "\n".join(self.paragraphs)


def paragraphs_of(row, source, language, rng):
    """The paragraphs of a row; each has some length, so that their order matters."""
    text = row["text"]
    if source in ("zh_lctt", "zh_juejin", "zh_laws", "zh_weekly", "zh_xwlb"):
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        if len(lines) < 4:
            return grouped(sentences(text, language), language, rng)
        merged = []
        for line in lines:
            if merged and len(merged[-1]) < 25:
                merged[-1] += "\n" + line
            else:
                merged.append(line)
        return merged
    return grouped(
        sentences(re.sub(r"\s*REUTER\s*$", "", text, flags=re.I), language), language, rng
    )


def grouped(parts, language, rng):
    """The parts joined in runs of one to three."""
    found, at = [], 0
    while at < len(parts):
        count = rng.randint(1, 3)
        found.append(joiner(language).join(parts[at : at + count]))
        at += count
    return found


SOURCES = {
    "zh": {"zh_xwlb": 0.40, "zh_lctt": 0.25, "zh_juejin": 0.13, "zh_laws": 0.12, "zh_news": 0.10},
    "en": {"en_reuters21578": 0.85, "en_minhash_articles": 0.15},
}


def ordinary(text, language):
    """True if a text is running text rather than a table or a list."""
    letters = sum(c.isalpha() for c in text)
    if language == "zh":
        return len(HAN.findall(text)) >= 0.3 * len(text) and letters >= 0.6 * len(text)
    return letters >= 0.7 * len(text) and text.count(".") >= 3


def originals(
    folder, language, count, rng, *, shortest=250, longest=3000, skip=frozenset(), apart=()
):
    """COUNT articles of drawn lengths.

    None shares more than 15 % of its sampled shingles with an earlier one or with a text of APART.
    Rows whose ids are in SKIP are passed over.
    """
    drawn = []
    for source, share in SOURCES[language].items():
        found, clusters = [], set()
        for row in rows(folder, source):
            if (
                row["id"] in skip
                or row.get("cluster") in clusters
                or not ordinary(row["text"], language)
            ):
                continue
            if row.get("cluster"):
                clusters.add(row["cluster"])
            if len(row["text"]) >= shortest * (1 if language == "zh" else 2):
                found.append(row)
        rng.shuffle(found)
        for row in found[: int(count * share * 1.6) + 1]:
            parts = paragraphs_of(row, source, language, rng)
            low = shortest * (1 if language == "zh" else 2)
            want = low * (longest / low) ** rng.random()
            kept, length = [], 0
            for part in parts:
                if kept and length + len(part) > want * 1.15:
                    break
                kept.append(part)
                length += len(part)
                if length >= want:
                    break
            if length >= low and length <= 2 * longest:
                drawn.append(Original(row["id"], row.get("title") or parts[0][:40], kept))
    rng.shuffle(drawn)
    chosen, seen = [], {}
    for i, text in enumerate(apart):
        for s in shingles(text, SHINGLE[language]):
            if s % 8 == 0:
                seen.setdefault(s, []).append(-1 - i)
    for item in drawn:
        sample = {s for s in shingles(item.text, SHINGLE[language]) if s % 8 == 0}
        shared = {}
        for s in sample:
            for other in seen.get(s, ()):
                shared[other] = shared.get(other, 0) + 1
        if max(shared.values(), default=0) > 0.15 * max(1, len(sample)):
            continue
        for s in sample:
            seen.setdefault(s, []).append(len(chosen))
        chosen.append(item)
        if len(chosen) == count:
            break
    return chosen
