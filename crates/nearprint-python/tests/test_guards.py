"""Guards: fields with equal, or different, values in a pair."""

from __future__ import annotations

from typing import Any

import pandas
import polars
import pyarrow
import pytest

import nearprint as nr
from conftest import TEXTS

NEWS = TEXTS[0]
ROWS: list[dict[str, Any]] = [
    {"text": NEWS, "lang": "en", "page": 5, "draft": True},
    {"text": NEWS, "lang": "fr", "page": 5, "draft": False},
    {"text": NEWS + "!", "lang": "en", "page": 6, "draft": None},
    {"text": NEWS, "lang": None, "page": None, "draft": None},
]


@pytest.mark.parametrize(
    ("settings", "removed"),
    [
        ({"same": "lang"}, [(2, 0)]),
        ({"differ": "lang"}, [(1, 0), (3, 0)]),
        ({"same": ["page"]}, [(1, 0)]),
        ({"differ": ["lang", "page"]}, [(2, 1), (3, 0)]),
        ({"same": "draft"}, [(3, 2)]),
        ({"differ": "draft", "preset": "exact"}, [(1, 0), (3, 0)]),
    ],
)
def test_documents_merge_where_guards_allow(
    settings: dict[str, Any], removed: list[tuple[int, int]]
) -> None:
    frame = pandas.DataFrame(ROWS)
    categories = frame.astype({"lang": "category"})
    for documents in (
        ROWS,
        frame,
        categories,
        polars.DataFrame(ROWS),
        pyarrow.Table.from_pylist(ROWS),
    ):
        result = pyarrow.table(nr.dedup(documents, **settings)._run.removed()).to_pydict()
        assert list(zip(result["id"], result["keeper"], strict=True)) == removed, type(documents)


@pytest.mark.parametrize(
    "codes",
    [["1E2", "100"], ["00123", "123"], ["DE", "de"], ["9007199254740992", "9007199254740993"]],
)
def test_codes_are_compared_as_they_are_written(codes: list[str]) -> None:
    rows = [{"text": NEWS, "code": code} for code in codes]
    frame = pandas.DataFrame(rows)
    for documents in (
        rows,
        frame,
        frame.astype(object),
        frame.astype({"code": "category"}),
        polars.DataFrame(rows),
        pyarrow.Table.from_pylist(rows),
    ):
        assert len(nr.dedup(documents, same="code").kept) == 2, type(documents)
        assert len(nr.dedup(documents, differ="code").kept) == 1, type(documents)
    assert nr.dedup(rows[:1], against=rows[1:], same="code").kept == rows[:1]
    numbers = [{"text": NEWS, "code": code} for code in (100, 100.0)]
    assert nr.dedup(numbers, same="code").kept == numbers[:1]


def test_both_sides_have_the_field() -> None:
    test = [{"id": "t", "text": NEWS, "lang": "fr"}]
    rows = [{"id": str(number), **row} for number, row in enumerate(ROWS)]
    assert [row["id"] for row in nr.dedup(rows, against=test, same="lang").removed] == ["1"]
    assert [row["id"] for row in nr.dedup(rows, against=test, differ="lang").removed] == [
        "0",
        "2",
        "3",
    ]
    with pytest.raises(
        nr.UsageError, match='no row of against= has a value in a field "lang"'
    ) as caught:
        nr.dedup(rows, against=[{"id": "t", "text": NEWS}], same="lang")
    assert caught.value.setting == "same"


def test_guards_are_settings() -> None:
    config = nr.Config(same="lang", differ=["page", "draft"])
    assert (config.same, config.differ, nr.Config().same) == (["lang"], ["page", "draft"], None)
    assert config.columns == ["text", "id", "lang", "page", "draft"]
    assert nr.Config.from_toml(config.to_toml()) == config
    with pytest.raises(nr.UsageError, match="is also in same="):
        nr.dedup(ROWS, same="lang", differ="lang")


def test_what_may_be_lost_is_bounded() -> None:
    rows = [
        {"text": NEWS, "day": 1},
        {"text": NEWS + " The harbor master rings a bell", "day": 2},
        {"text": NEWS + "!", "day": 3},
    ]
    assert [row["keeper"] for row in nr.dedup(rows, min_similarity=0.6).removed] == [1, 1]
    assert [row["keeper"] for row in nr.dedup(rows, min_similarity=0.6, keep="first").removed] == [
        0,
        0,
    ]
    bounded = nr.dedup(rows, min_similarity=0.6, max_lost=0.05)
    assert [(row["id"], row["keeper"], row["lost"]) for row in bounded.removed] == [
        (0, 1, 0.0),
        (2, 1, 0.0),
    ]
    with pytest.raises(nr.UsageError, match='set verify="coverage"') as caught:
        nr.dedup(rows, max_lost=0.05, verify="jaccard")
    assert caught.value.setting == "max_lost"
