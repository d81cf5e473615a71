"""Passages that many documents share: found, masked, cut, for each kind of table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import nearprint as nr

from conftest import command_line, json_lines

FOOTER = (
    "All rights reserved. No part of this page may be copied or sold without the written consent "
    "of the publisher and its heirs in Hamburg."
)
OWN = [
    "The night ferry sails again from Friday, and its cook bakes cardamom buns before dawn.",
    "The village library lends garden tools now, and a cider press to whoever brings apples.",
]
ROWS: list[dict[str, Any]] = [
    {"id": number, "text": f"{own}\n\n{FOOTER}"} for number, own in enumerate(OWN)
]

TABLES: list[Callable[[list[dict[str, Any]]], Any]] = [
    list,
    pandas.DataFrame,
    polars.DataFrame,
    pyarrow.Table.from_pylist,
]


def rows_of(table: Any) -> list[dict[str, Any]]:
    """The rows of a table of any of these libraries."""
    if isinstance(table, list):
        return table
    rows: Any
    if isinstance(table, pandas.DataFrame):
        rows = table.to_dict("records")
    elif isinstance(table, polars.DataFrame):
        rows = table.to_dicts()
    else:
        rows = table.to_pylist()
    return list(rows)


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The file with these rows."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("made", TABLES)
def test_texts_lose_the_places_that_go_and_tables_tell_them(
    made: Callable[[list[dict[str, Any]]], Any],
) -> None:
    documents = made(ROWS)
    result = nr.passages(documents, action="cut", max_lost=0.9)
    assert isinstance(result.documents, type(documents))
    texts = [row["text"] for row in rows_of(result.documents)]
    assert texts == [ROWS[0]["text"], OWN[1]]
    places = rows_of(result.places)
    assert [(place["id"], place["stays"]) for place in places] == [(0, True), (1, False)]
    assert places[0]["why"] == "copy"
    assert [place["copy"] for place in places] == [None, 0]
    for place, row in zip(places, ROWS):
        assert row["text"][place["start"] : place["end"]] == FOOTER
        encoded = row["text"].encode()
        assert encoded[place["start_byte"] : place["end_byte"]].decode() == FOOTER
    assert [row["text"] for row in rows_of(result.passages)] == [FOOTER]
    assert result.counts["going"] == 1
    assert "1 passages at 2 places" in repr(result)


def test_the_command_line_finds_the_same(tmp_path: Path) -> None:
    file = written(tmp_path / "pages.jsonl", ROWS)
    out = tmp_path / "out"
    command_line("passages", file, "--output", out, "--action", "mask", "--max-lost", "1")
    masked = nr.passages(ROWS, action="mask", max_lost=1.0)
    assert masked.documents == json_lines(tmp_path / "out/kept/pages.jsonl")
    rows = json_lines(tmp_path / "out/passages.jsonl")
    assert masked.places == [
        {name: value for name, value in row.items() if name not in ("file", "row")} for row in rows
    ]


def test_verdicts_of_a_person_are_obeyed(tmp_path: Path) -> None:
    verdicts = written(tmp_path / "verdicts.jsonl", [{"text": FOOTER, "verdict": "right"}])
    result = nr.passages(ROWS[:1], action="cut", approved=verdicts, max_lost=0.9)
    assert result.documents[0]["text"] == OWN[0]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"min_length": 3}, "min_length"),
        ({"action": "burn"}, "action"),
        ({"keep_copy": "all"}, "keep_copy"),
        ({"max_edits": 0.5}, "max_edits"),
        ({"within": "site"}, "site"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(nr.UsageError, match=says):
        nr.passages(ROWS, **options)
