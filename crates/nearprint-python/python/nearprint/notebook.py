"""Small tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["table_of", "table_of_html"]


def table_of(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """A table as HTML. Cells are shown as text."""
    return table_of_html(head, ([escape(str(cell)) for cell in row] for row in rows), caption)


def table_of_html(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table as HTML, of cells in HTML."""
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
