"""Markdown: tables, and paragraphs in even lines."""

import textwrap


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def refill(text: str, width: int = 120) -> str:
    """Markdown with its paragraphs and bullets broken into even lines.

    Tables, code and headings stay as they are.
    """
    blocks = []
    for block in text.split("\n\n"):
        if block.startswith("- "):
            bullets = ("- " + bullet for bullet in block[2:].split("\n- "))
            block = "\n".join(fill(bullet, width, "  ") for bullet in bullets)
        elif not block.startswith(("|", "#", "!", "    ")):
            block = fill(block, width, "")
        blocks.append(block)
    return "\n\n".join(blocks)


def fill(text: str, width: int, indent: str) -> str:
    text = " ".join(text.split()).replace(" %", "\N{NO-BREAK SPACE}%")
    text = textwrap.fill(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return text.replace("\N{NO-BREAK SPACE}%", " %")
