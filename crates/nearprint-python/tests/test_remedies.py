"""Arguments of the wrong kind are refused with what to write in their place."""

from __future__ import annotations

from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import nearprint as nr

from conftest import NEWS, OTHER

TABLE = pandas.DataFrame({"text": [NEWS]})
BOTH: dict[str, Any] = {"text": "a", "text_field": "b"}


def refused(call: Any, message: str, setting: str) -> None:
    with pytest.raises(nr.UsageError, match=message) as caught:
        call()
    assert caught.value.setting == setting


def test_rethreshold_takes_a_result_and_its_own_settings() -> None:
    again: Any = nr.rethreshold
    result = nr.dedup([NEWS, NEWS])
    refused(lambda: again(TABLE, min_similarity=0.9), r"^run: DataFrame .* nr\.dedup", "run")
    refused(lambda: again(result, threshold=0.9), "use min_similarity=", "threshold")
    refused(lambda: again(result, keep="first"), "^keep: .* give it to nr.dedup", "keep")


def test_compare_names_the_functions_for_columns() -> None:
    compare: Any = nr.compare
    refused(lambda: compare(TABLE["text"], TABLE["text"]), r"left: Series .*is_duplicate", "left")
    refused(lambda: compare(NEWS, None), r"right: NoneType .* nr\.similarity", "right")


def test_dicts_are_no_documents() -> None:
    with nr.Index.create() as index:
        refused(lambda: index.add({"id": "a", "text": NEWS}), "put a row in a list", "documents")
    refused(lambda: nr.dedup({"text": [NEWS]}), "columns in a table", "documents")


def test_two_names_of_one_setting_are_refused() -> None:
    refused(lambda: nr.dedup(TABLE, **BOTH), "^text: text_field names it, too", "text")


def test_texts_alone_have_their_rows_as_ids_in_against() -> None:
    train = [{"body": NEWS, "doc": "x"}, {"body": "Half price", "doc": "y"}]
    texts = [OTHER, NEWS]
    columns: list[Any] = [
        texts,
        numpy.array(texts),
        pandas.Series(texts),
        polars.Series(texts),
        pyarrow.array(texts),
        pyarrow.chunked_array([texts]),
    ]
    for column in columns:
        result = nr.dedup(train, text="body", id="doc", against=column)
        assert [(row["id"], row["keeper"]) for row in result.removed] == [("x", 1)]
    tables: list[Any] = [
        [{"body": NEWS}],
        polars.DataFrame({"body": texts}),
        pyarrow.table({"body": texts}),
    ]
    for table in tables:
        with pytest.raises(nr.RejectedError, match='no column "doc"'):
            nr.dedup(train, text="body", id="doc", against=table)
