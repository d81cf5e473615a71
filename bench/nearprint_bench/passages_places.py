"""Places where a tool cut text out of documents: what each cut does to its surroundings.

A place is a range of bytes of a text that was cut; ranges that overlap or touch are one place. What
is counted looks at the text alone, not at how a tool found the place:

- `within a letter`: an edge parts the bytes of one character.
- `torn`: an edge stands between two letters or digits, so that a word lost a part; an edge within a
  letter tears too. Chinese has no blanks, so this is any edge between two Chinese characters.
- `joined`: what is left on both sides meets letter to letter, as in `wantedstore`.
- `in a sentence`: an edge is neither at the begin or end of the text, nor at a line break, nor
  behind the mark of the end of a sentence (`ends_here`).
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

WINDOW = 1200  # bytes on each side of an edge that are looked at
WRAPPED = range(40, 101)  # letters of the longest line of a text that was broken at a width
INDENT = 5  # letters that the first line of a paragraph may have lacked for its indent
MARKS = "。！？…"
ASCII_MARKS = ".!?"
CLOSERS = "\"'”’」』）)]】》›»*_`"
OPENERS = "\"'“‘「『（([【《‹«*_`"


@dataclass(frozen=True)
class Place:
    """A range of bytes that was cut, and what its edges do."""

    start: int
    end: int
    whole: bool
    within_letter: bool
    torn: bool
    joined: bool
    in_sentence: bool


def is_letter(text: str) -> bool:
    """True if this is a letter, a digit, or a mark on one."""
    return text.isalnum() or unicodedata.category(text).startswith("M")


def merged(ranges, length: int) -> list[tuple[int, int]]:
    """The ranges in order, cut at the length of the text, without empty ones; those that overlap or
    touch are one."""
    result = []
    for start, end in sorted((max(0, start), min(end, length)) for start, end in ranges):
        if start >= end:
            continue
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def wrap_width(text: str) -> int | None:
    """The letters of a full line of a text that was broken at a width, or None for other texts.

    A line is full if the first word of the next line would have made it longer than the longest
    line. A text was broken at a width if its longest line has one of `WRAPPED`, and half of its
    lines or more, those before empty lines and the last one left out, are full.
    """
    lines = text.split("\n")
    width = max(map(len, lines))
    if width not in WRAPPED:
        return None
    followed = [(line, after) for line, after in pairwise(lines) if line.strip() and after.strip()]
    full = sum(is_full(line, after, width) for line, after in followed)
    return width if len(followed) >= 2 and 2 * full >= len(followed) else None


def is_full(line: str, after: str, width: int) -> bool:
    after = after.lstrip()
    word = 0 if is_chinese(after[0]) else len(after.split()[0])
    return len(line.rstrip()) + 1 + word > width


def goes_on(line: str, after: str, width: int) -> bool:
    """True if a line of a text that was broken at this width seems to go on in the next one."""
    return after[0].islower() or is_full(line, after, width - INDENT)


def ends_here(left: str, right: str, width: int | None) -> bool:
    """True if no sentence goes on from the left to the right.

    That is so at the begin and the end of the text; at an empty line; at a line break, unless the
    text was broken at this width and the line is full, or the next one begins with a small letter;
    behind 。！？…; and behind .!? before a Chinese character, or before a blank and no small letter.
    Closing quotes, brackets and marks of emphasis may follow the mark.
    """
    before, after = left.rstrip(), right.lstrip()
    if not before or not after:
        return True
    gap = left[len(before) :] + right[: len(right) - len(after)]
    breaks = gap.count("\n")
    if breaks > 1:
        return True
    if breaks and (width is None or not goes_on(before.split("\n")[-1], after, width)):
        return True
    said = before.rstrip(CLOSERS)
    if said.endswith(tuple(MARKS)):
        return True
    if not said.endswith(tuple(ASCII_MARKS)):
        return False
    first = after.lstrip(OPENERS)[:1]
    return not first.islower() if gap else is_chinese(after[0])


def is_chinese(letter: str) -> bool:
    return bool(re.match("[\u3400-\u9fff\U00020000-\U0003ffff]", letter))


class Text:
    """The text of a document."""

    def __init__(self, text: str):
        self.text = text
        self.bytes = text.encode()

    @cached_property
    def width(self) -> int | None:
        return wrap_width(self.text)

    def within_letter(self, at: int) -> bool:
        return 0 < at < len(self.bytes) and self.bytes[at] & 0xC0 == 0x80

    def left(self, at: int) -> str:
        """The text before this byte, of whole characters."""
        return self.bytes[max(0, at - WINDOW) : at].decode(errors="ignore")

    def right(self, at: int) -> str:
        """The text from this byte on, of whole characters."""
        return self.bytes[at : at + WINDOW].decode(errors="ignore")

    def torn(self, at: int) -> bool:
        left, right = self.left(at)[-1:], self.right(at)[:1]
        return self.within_letter(at) or meet(left, right)

    def place(self, start: int, end: int) -> Place:
        """The place that was cut from `start` to before `end`."""
        edges = (start, end)
        return Place(
            start,
            end,
            whole=start == 0 and end == len(self.bytes),
            within_letter=any(map(self.within_letter, edges)),
            torn=any(map(self.torn, edges)),
            joined=meet(self.left(start)[-1:], self.right(end)[:1]),
            in_sentence=any(
                self.within_letter(at) or not ends_here(self.left(at), self.right(at), self.width)
                for at in edges
            ),
        )

    def places(self, ranges) -> list[Place]:
        """The places of these ranges of bytes."""
        return [self.place(*each) for each in merged(ranges, len(self.bytes))]

    def shown(self, place: Place, around: int = 160, inside: int = 240) -> str:
        """The place in its surroundings, with ⟦ and ⟧ at its edges."""
        cut = self.bytes[place.start : place.end].decode(errors="replace")
        if len(cut) > inside:
            cut = f"{cut[: inside // 2]} … {cut[-inside // 2 :]}"
        return f"{self.left(place.start)[-around:]}⟦{cut}⟧{self.right(place.end)[:around]}"


def meet(left: str, right: str) -> bool:
    """True if both are letters."""
    return bool(left and right) and is_letter(left) and is_letter(right)
