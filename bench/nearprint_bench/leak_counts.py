"""Found items: counted against the planted ones, and listed for a reader."""

import statistics

from .leak_texts import Item, letters, stretch
from .leak_tools import Answer, Found


def hits(answer: Answer, items: list[Item]) -> list[bool]:
    """For each document, True if its planted item was found."""
    found = {(one.document, one.item) for one in answer.found}
    return [(number, item.id) in found for number, item in enumerate(items)]


def percent(flags: list[bool]) -> str:
    return f"{100 * statistics.mean(flags):.1f}" if flags else "-"


def flagged_by_length(
    found: list[Found], items: dict[str, Item], bounds: tuple[int, ...]
) -> dict[str, int]:
    """The number of documents with a found item, by the item's stretch of lengths."""
    both = {(one.document, stretch(letters(items[one.item].question), bounds)) for one in found}
    return {
        length: sum(other == length for _, other in both)
        for length in sorted({length for _, length in both})
    }


def listed(tool: str, texts: str, found: list[Found], items: dict[str, Item]) -> list[dict]:
    """A row for each found item, with the question and the passage, for a person to read."""
    return [
        {
            "tool": tool,
            "texts": texts,
            "document": one.document,
            "set": items[one.item].group,
            "item": one.item,
            "letters": letters(items[one.item].question),
            "question": items[one.item].question,
            "passage": one.passage,
        }
        for one in found
    ]
