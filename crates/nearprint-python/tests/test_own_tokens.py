"""Documents with their own tokens: ``tokens_field``."""

from __future__ import annotations

from typing import Any

import pandas
import polars
import pyarrow
import pytest

import nearprint as nr

#: The first and the last have equal tokens, and no text in common.
ROWS: list[dict[str, Any]] = [
    {"text": "能力比学历重要", "words": ["能力", "比", "学历", "重要"]},
    {"text": "一根藤上七朵花", "words": ["一根", "藤上", "七朵", "花"]},
    {"text": "ability beats degrees", "words": ["能力", "比", "，", "学历", "重要"]},
]
SETTINGS: dict[str, Any] = dict(
    features="words",
    weights="one",
    min_features=1,
    verify="none",
    max_distance=3,
    bits=64,
    tokens_field="words",
)
COLUMNS = {name: [row[name] for row in ROWS] for name in ("text", "words")}
LARGE = pyarrow.table(
    {
        "text": COLUMNS["text"],
        "words": pyarrow.array(COLUMNS["words"], pyarrow.large_list(pyarrow.large_string())),
    }
)
EVERY = [
    ROWS,
    polars.DataFrame(ROWS),
    pandas.DataFrame(ROWS),
    pyarrow.table(COLUMNS),
    LARGE,
    polars.DataFrame(ROWS).with_columns(polars.col("words").list.join(" ")),
]


@pytest.mark.parametrize("rows", EVERY, ids=lambda rows: type(rows).__name__)
def test_lists_of_every_library_are_tokens(rows: Any) -> None:
    removed = polars.DataFrame(nr.dedup(rows, **SETTINGS).removed)
    assert removed.select("id", "keeper", "distance").rows() == [(2, 0, 0)]
    assert "the documents' own tokens" in nr.dedup(rows, **SETTINGS).summary["fingerprint"]


def test_a_row_without_tokens_is_refused_or_left_out() -> None:
    rows = [*ROWS, {"text": "a text alone"}, {"text": "numbers", "words": None}]
    with pytest.raises(
        nr.RejectedError,
        match="not a list of strings; give every row its tokens, or name another field with "
        "tokens_field",
    ) as caught:
        nr.dedup(rows, **SETTINGS)
    assert (caught.value.row, caught.value.problem) == (3, "no_tokens")
    with pytest.warns(nr.NearprintWarning, match="2 rows left out"):
        left = nr.dedup(rows, on_error="skip", max_rejected="100%", **SETTINGS)
    assert polars.DataFrame(left.rejected)["row"].to_list() == [3, 4]
    with pytest.raises(nr.RejectedError):
        nr.dedup([{"text": "a", "words": ["a", 1]}], **SETTINGS)


def test_texts_alone_have_no_tokens() -> None:
    for ask in (lambda: nr.Fingerprinter(**SETTINGS), lambda: nr.compare("a", "b", **SETTINGS)):
        with pytest.raises(nr.UsageError, match="a text has no fields; leave tokens_field= out"):
            ask()
