"""Documents with their own tokens: ``tokens_field``."""

from __future__ import annotations

from typing import Any

import pandas
import polars
import pyarrow
import pytest

import nearprint as nr
from conftest import NEWS

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


@pytest.mark.parametrize("rows", EVERY, ids=lambda rows: type(rows).__name__)
def test_an_index_takes_the_tokens_of_every_library(rows: Any) -> None:
    asked = [{"id": 7, **ROWS[2]}]
    with nr.Index.create(**SETTINGS) as index:
        index.add([{"id": id, **row} for id, row in enumerate(ROWS[:2])])
        found = index.query(asked)
        assert [(row["match"], row["distance"]) for row in found] == [(0, 0)]
        assert index[0]["words"] == ROWS[0]["words"]
        assert [row["words"] for row in index.export()] == [row["words"] for row in ROWS[:2]]
        assert len(nr.dedup(asked, against=index, **SETTINGS).removed) == 1
        answers = polars.DataFrame(index.query(rows, id="off"))
        assert answers.select("id", "match").rows() == [(0, 0), (1, 1), (2, 0)]
        with pytest.raises(nr.UsageError, match='have their own tokens in the field "words"; give'):
            index.query("能力比学历重要")
        with pytest.raises(nr.RejectedError, match='field "words" is absent'):
            index.add("能力比学历重要", id=9)


def test_equal_texts_with_other_tokens_are_not_equal_anywhere() -> None:
    rows = [
        {"id": name, "text": NEWS, "words": [f"{name}{number}" for number in range(40)]}
        for name in ("a", "b")
    ]
    settings = {**SETTINGS, "verify": "jaccard", "shingle": 1}
    alone = {**settings, "min_leak_length": "off"}
    assert len(nr.dedup(rows, **settings).removed) == 0
    assert len(nr.dedup(rows[1:], against=rows[:1], **alone).removed) == 0
    with nr.Index.create(**settings) as index:
        index.add(rows[:1])
        assert len(index.query(rows[1:])) == 0
        assert index.add(rows[1:], if_new=True)[0]["outcome"] == "new"
    with nr.Index.create(**settings) as index:
        index.add(rows[:1])
        assert len(nr.dedup(rows[1:], against=index, **settings).removed) == 0
        assert len(nr.dedup(rows[:1], against=index, **settings).removed) == 1


def test_the_field_of_the_tokens_stays() -> None:
    rows = [{"id": 1, **ROWS[0], "other": ["a"]}]
    with pytest.raises(nr.UsageError, match='keeps the tokens in the field "words" in any case'):
        nr.Index.create(store_fields=["words"], **SETTINGS)
    with nr.Index.create(**SETTINGS) as index:
        with pytest.raises(nr.UsageError, match="was made with other settings"):
            index.add(rows, tokens_field="other")
        index.add(rows)
        with pytest.raises(nr.UsageError, match="made with other settings"):
            nr.dedup(rows, against=index, **{**SETTINGS, "tokens_field": "other"})


def test_texts_alone_have_no_tokens() -> None:
    for ask in (lambda: nr.Fingerprinter(**SETTINGS), lambda: nr.compare("a", "b", **SETTINGS)):
        with pytest.raises(nr.UsageError, match="a text has no fields; leave tokens_field= out"):
            ask()
