"""A text as words and what stands between them.

Words are the tokens of jieba that hold a letter, a digit or a Han character. All the rest, punctuation and blanks, is
the gap before the word that follows, so that `join(*cut(text))` is the text again (but for a blank where jieba parts
Latin letters and digits, rare in news).
"""

import re

import rjieba

WORD = re.compile(r"[^\W_]")


def cut(text: str) -> tuple[list[str], list[str]]:
    """Words, and gaps: gap i stands before word i, the last one after all words."""
    words, gaps, gap = [], [], ""
    for token in rjieba.cut(text):
        if token.isalnum() or WORD.search(token):
            words.append(token)
            gaps.append(gap)
            gap = ""
        else:
            gap += token
    gaps.append(gap)
    return words, gaps


def join(words: list[str], gaps: list[str]) -> str:
    """The text again. Latin words that edits made neighbors are kept apart by a blank."""
    parts, last = [], "，"
    for word, gap in zip(words, gaps):
        if not gap and last[-1].isascii() and word[0].isascii():
            gap = " "
        parts += gap, word
        last = word
    return "".join(parts) + gaps[-1]
