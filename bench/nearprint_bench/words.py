"""A text -> its words, and the gaps between them.

`cut` cuts every text by jieba. Words are the tokens with a letter, a digit or a Han character; all
other tokens, punctuation and blanks, make up the gap before the next word. `join(*cut(text))` is the
text, except for a blank where jieba parts Latin letters and digits, which is rare in news. `tokens`
and `words` depend on the language and leave English words whole.
"""

import re

import rjieba


def is_word(token: str) -> bool:
    """True if a token has a letter, a digit or a Han character."""
    return any(character.isalnum() for character in token)


def tokens(text: str, language: str) -> list[str]:
    """The words, blanks and marks of a text; joined they are the text."""
    if language == "zh":
        return rjieba.cut(text)
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)?|\s+|[^\w\s]|_", text)


def words(text: str, language: str) -> list[str]:
    """The words of a text alone, in lower case in English."""
    if language == "zh":
        return [word for word in rjieba.cut(text) if re.match(r"\w+", word)]
    return re.findall(r"\w+", text.lower())


def cut(text: str) -> tuple[list[str], list[str]]:
    """The words and gaps of a text: gap i is before word i, the last one after all words."""
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
    """The text of words and gaps. A blank parts Latin words that edits made neighbors."""
    parts, last = [], "，"
    for word, gap in zip(words, gaps):
        if not gap and last[-1].isascii() and word[0].isascii():
            gap = " "
        parts += gap, word
        last = word
    return "".join(parts) + gaps[-1]
