"""Every type of input comes back, complete and in order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import date, datetime, timedelta, timezone
from typing import Any

import datasets
import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest
from arro3.core import Table

import nearprint as nr

from conftest import IDS, KEPT, TEXTS

EXTRA = ["a", None, "c", "d", "e"]
ARROW = pyarrow.table({"extra": EXTRA, "text": TEXTS, "id": IDS})


def arrow_rows(rows: Any) -> list[dict[str, Any]]:
    return list(pyarrow.table(rows).to_pylist())


#: Name, the documents, and how to get rows back.
KINDS: list[tuple[str, Callable[[], Any], Callable[[Any], list[dict[str, Any]]]]] = [
    ("pyarrow table", lambda: ARROW, lambda rows: list(rows.to_pylist())),
    ("pyarrow batch", lambda: ARROW.to_batches()[0], lambda rows: list(rows.to_pylist())),
    ("polars", lambda: polars.DataFrame(ARROW), lambda rows: list(rows.to_dicts())),
    (
        "polars lazy",
        lambda: polars.DataFrame(ARROW).lazy(),
        lambda rows: list(rows.collect().to_dicts()),
    ),
    (
        "pandas",
        lambda: ARROW.to_pandas(),
        lambda rows: [_with_none(row) for row in rows.to_dict("records")],
    ),
    (
        "pandas objects",
        lambda: ARROW.to_pandas().astype(object),
        lambda rows: [_with_none(row) for row in rows.to_dict("records")],
    ),
    ("duckdb", lambda: duckdb.from_arrow(ARROW), arrow_rows),
    ("datasets", lambda: datasets.Dataset(ARROW), lambda rows: list(rows)),
    ("list of dicts", lambda: ARROW.to_pylist(), lambda rows: list(rows)),
    ("tuple of dicts", lambda: tuple(ARROW.to_pylist()), lambda rows: list(rows)),
    ("arro3", lambda: Table.from_arrow(ARROW), arrow_rows),
]


def _with_none(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and value != value else value
        for name, value in row.items()
    }


@pytest.mark.parametrize(("name", "make", "rows_of"), KINDS, ids=[kind[0] for kind in KINDS])
def test_a_table_comes_back_as_it_came(
    name: str, make: Callable[[], Any], rows_of: Callable[[Any], list[dict[str, Any]]]
) -> None:
    documents = make()
    result = nr.dedup(documents)
    assert isinstance(result.kept, type(documents))
    assert rows_of(result.kept) == [row for row in ARROW.to_pylist() if row["id"] in KEPT]
    expected = [
        {
            "id": 12,
            "keeper": 10,
            "cluster": 1,
            "distance": 0,
            "similarity": 1.0,
            "reason": "near",
            "lost": 0.0,
            "share": 1.0,
            "first": None,
            "last": None,
            "length": len(TEXTS[2]),
            "keeper_length": len(TEXTS[0]),
            "row": 2,
            "keeper_row": 0,
        },
    ]
    removed = result.removed
    if name in ("polars lazy",):
        removed_rows = removed.to_dicts()
    else:
        removed_rows = rows_of(removed)
    assert removed_rows[0] == expected[0]
    assert [row["id"] for row in removed_rows] == [12, 13]
    assert removed_rows[1]["keeper"] == 11 and 0.8 <= removed_rows[1]["similarity"] < 1
    clusters = result.clusters
    clusters = clusters.to_dicts() if name == "polars lazy" else rows_of(clusters)
    assert [
        (row["cluster"], row["keeper"], row["size"], list(row["members"])) for row in clusters
    ] == [
        (1, 10, 2, [10, 12]),
        (2, 11, 2, [11, 13]),
    ]
    pairs = result.pairs.to_dicts() if name == "polars lazy" else rows_of(result.pairs)
    assert [(row["left"], row["right"], row["reason"]) for row in pairs] == [
        (10, 12, "near"),
        (11, 13, "near"),
    ]
    assert nr.dedup(make(), pairs=True).summary["counts"]["confirmed_pairs"] == 2


@pytest.mark.parametrize(
    "column",
    [
        pyarrow.array(TEXTS),
        pyarrow.chunked_array([TEXTS[:2], [], TEXTS[2:]]),
        polars.Series("text", TEXTS),
        pandas.Series(TEXTS, index=list("abcde")),
        pandas.Series(TEXTS, dtype=object),
        numpy.array(TEXTS),
        numpy.array(TEXTS, dtype=object),
        TEXTS,
        tuple(TEXTS),
    ],
    ids=lambda column: f"{type(column).__module__}.{type(column).__name__}",
)
def test_a_column_of_texts_comes_back_as_it_came(column: Any) -> None:
    result = nr.dedup(column)
    assert isinstance(result.kept, type(column))
    assert [str(text) for text in result.kept] == [TEXTS[0], TEXTS[1], TEXTS[4]]
    if isinstance(column, pandas.Series) and column.index[0] == "a":
        assert list(result.kept.index) == ["a", "b", "e"]
    assert pyarrow.table(result._run.removed()).to_pydict()["keeper"] == [0, 1]
    assert list(pyarrow.array(result.is_kept).to_pylist()) == [True, True, False, False, True]


@pytest.mark.parametrize(
    "text_type",
    [
        pyarrow.string(),
        pyarrow.large_string(),
        pyarrow.string_view(),
        pyarrow.binary(),
        pyarrow.large_binary(),
        pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "id_type",
    [
        pyarrow.int64(),
        pyarrow.uint8(),
        pyarrow.int16(),
        pyarrow.string(),
        pyarrow.large_string(),
        pyarrow.string_view(),
    ],
    ids=str,
)
def test_every_arrow_type_in_chunks_and_slices(
    text_type: pyarrow.DataType, id_type: pyarrow.DataType
) -> None:
    ids = pyarrow.array(IDS).cast(id_type if id_type != pyarrow.string_view() else pyarrow.string())
    if id_type == pyarrow.string_view():
        ids = pyarrow.array([str(id) for id in IDS], type=id_type)
    texts = pyarrow.array(["in front", *TEXTS, "behind"])
    texts = (
        texts.dictionary_encode()
        if pyarrow.types.is_dictionary(text_type)
        else pyarrow.array(texts.to_pylist(), type=text_type)
        if text_type == pyarrow.string_view()
        else texts.cast(text_type)
    )
    parts = [texts.slice(1, 2), texts.slice(3, 0), texts.slice(3, 3)]
    if pyarrow.types.is_dictionary(text_type):
        column = pyarrow.chunked_array(parts)
    else:
        column = pyarrow.chunked_array(parts, type=text_type)
    table = pyarrow.table(
        {"text": column, "id": pyarrow.chunked_array([ids.slice(0, 1), ids.slice(1, 4)])}
    )
    result = nr.dedup(table)
    assert result.removed["id"].type == id_type
    assert [str(id) for id in result.removed["id"].to_pylist()] == ["12", "13"]
    assert result.kept.schema == table.schema
    assert result.kept.to_pylist() == [
        row for place, row in enumerate(table.to_pylist()) if place in (0, 1, 4)
    ]


def test_categories_of_pandas_and_polars_are_texts() -> None:
    assert list(nr.dedup(pandas.DataFrame({"text": pandas.Categorical(TEXTS)})).kept.index) == [
        0,
        1,
        4,
    ]
    frame = polars.DataFrame({"text": TEXTS}, schema={"text": polars.Categorical})
    kept = nr.dedup(frame).kept
    assert kept["text"].to_list() == [TEXTS[0], TEXTS[1], TEXTS[4]] and kept.schema == frame.schema


def test_a_dataset_keeps_its_features_and_selected_rows() -> None:
    features = datasets.Features(
        {
            "text": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["no", "yes"]),
            "id": datasets.Value("int32"),
        }
    )
    dataset = datasets.Dataset.from_dict(
        {"text": ["skipped", *TEXTS], "label": [0, 1, 0, 1, 0, 1], "id": [9, *IDS]},
        features=features,
    )
    result = nr.dedup(dataset.select(range(1, 6)))
    assert result.kept.features == features
    assert result.kept["id"][:] == KEPT and result.kept["label"][:] == [1, 0, 1]


def test_a_duckdb_relation_stays_with_its_connection() -> None:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE news AS SELECT unnest($1) AS text, unnest($2) AS id", [TEXTS, IDS]
    )
    result = nr.dedup(connection.table("news"))
    assert result.kept.order("id").select("id").fetchall() == [(id,) for id in KEPT]
    assert result.removed.query(
        "removed", "SELECT n.id, keeper FROM removed JOIN news n USING (id) ORDER BY 1"
    ).fetchall() == [(12, 10), (13, 11)]


def test_a_stream_is_read_once_and_comes_back_as_arrow() -> None:
    result = nr.dedup(ARROW.to_reader(max_chunksize=2))
    assert isinstance(result.kept, Table)
    assert pyarrow.table(result.kept).equals(ARROW.take([0, 1, 4]).combine_chunks())


def test_empty_and_single_rows() -> None:
    empty: Any
    for empty in (
        [],
        ARROW.slice(0, 0),
        polars.DataFrame(ARROW).clear(),
        ARROW.to_pandas().iloc[:0],
        pandas.DataFrame({"text": []}, dtype=object),
        datasets.Dataset(ARROW.slice(0, 0)),
    ):
        result: nr.Result[Any] = nr.dedup(empty)
        assert len(result.kept) == 0 and result.summary["counts"]["read"] == 0
        assert len(result.removed) == 0 and len(result.clusters) == 0 and len(result.pairs) == 0
    # Warnings are errors here: documents in memory cause none.
    assert nr.dedup(["one"], against=[]).kept == ["one"]
    single: Any
    for single in (["one"], ARROW.slice(0, 1), polars.DataFrame(ARROW)[:1], ARROW.to_pandas()[:1]):
        result = nr.dedup(single)
        assert len(result.kept) == 1 and len(result.removed) == 0


def test_several_columns_make_one_text_and_other_names_are_found() -> None:
    frame = polars.DataFrame(
        {
            "title": ["A", "A", "B"],
            "body": [NEWS_BODY, NEWS_BODY, NEWS_BODY],
            "url": ["x", "y", "z"],
        }
    )
    result = nr.dedup(frame, text=["title", "body"], id="url", preset="exact")
    assert result.kept["url"].to_list() == ["x", "z"]
    assert result.removed.select("id", "keeper").rows() == [("y", "x")]


NEWS_BODY = TEXTS[0]


@pytest.mark.parametrize(
    "dates",
    [
        ["2024-01-02T10:00:00Z", "2024-01-02T09:00:00-05:00"],
        ["2024年2月1日", "2024年10月1日"],
        ["Wed, 03 Jan 2024 10:00:00 GMT", "Fri, 05 Jan 2024 10:00:00 GMT"],
        [1704189600000, 1704204000000],
        [date(2024, 2, 1), date(2024, 10, 1)],
        [
            datetime(2024, 1, 2, 10, tzinfo=timezone.utc),
            datetime(2024, 1, 2, 9, tzinfo=timezone(timedelta(hours=-5))),
        ],
        [None, datetime(1990, 1, 1)],
    ],
    ids=lambda dates: str(dates[1]),
)
def test_the_newest_of_moments_stays_whatever_their_form(dates: list[Any]) -> None:
    rows = [{"text": NEWS_BODY, "day": day} for day in dates]
    frame = pandas.DataFrame(rows)
    for documents in (
        rows,
        frame,
        frame.astype(object),
        polars.DataFrame(rows),
        pyarrow.Table.from_pylist(rows),
        datasets.Dataset.from_list(rows),
    ):
        # A document without a date is told.
        no_date = pytest.warns(nr.NearprintWarning, match="no date")
        with no_date if None in dates else nullcontext():
            kept = nr.dedup(documents, keep="newest:day").is_kept
        assert [getattr(one, "as_py", lambda one=one: one)() for one in kept] == [False, True]


def test_who_is_kept_is_a_setting() -> None:
    frame = polars.DataFrame({"text": [TEXTS[0], TEXTS[0]], "score": [1, 2]})
    assert nr.dedup(frame, keep="highest:score").kept["score"].to_list() == [2]
    assert nr.dedup(frame.to_dicts(), keep="highest:score").kept == [{"text": TEXTS[0], "score": 2}]
