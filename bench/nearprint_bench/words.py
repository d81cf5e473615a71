"""A text as words, and what stands between them.

`cut` takes every text by jieba: words are its tokens that hold a letter, a digit or a Han
character, and all the rest, punctuation and blanks, is the gap before the word that follows, so
that `join(*cut(text))` is the text again (but for a blank where jieba parts Latin letters and
digits, rare in news). `tokens` and `words` go by the language, and leave English words whole.
"""

import re

import rjieba


def is_word(token: str) -> bool:
    """Whether it holds a letter, a digit or a Han character."""
    return any(character.isalnum() for character in token)


def tokens(text: str, language: str) -> list[str]:
    """Words, blanks and marks; joined they are the text again."""
    if language == "zh":
        return rjieba.cut(text)
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)?|\s+|[^\w\s]|_", text)


def words(text: str, language: str) -> list[str]:
    """Words alone, in lower case where a language has it, for measures that compare them."""
    if language == "zh":
        return [word for word in rjieba.cut(text) if re.match(r"\w+", word)]
    return re.findall(r"\w+", text.lower())


def cut(text: str) -> tuple[list[str], list[str]]:
    """Words, and gaps: gap i stands before word i, the last one after all words."""
    words, gaps, gap = [], [], ""
    for token in rjieba.cut(text):
        if is_word(token):
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
