"""The names of columns: alternatives, fields inside of structs and dicts, lists, and fields that
some rows lack."""

from __future__ import annotations

import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import datasets
import pandas
import polars
import pyarrow
import pytest

import nearprint as nr
from conftest import NEWS, OTHER

CHATS: list[dict[str, Any]] = [
    {"id": 1, "messages": [{"role": "user", "content": NEWS}, {"role": "bot", "content": OTHER}]},
    {"id": 2, "messages": [{"role": "user", "content": OTHER}]},
    {"id": 3, "messages": [{"role": "bot", "content": NEWS}, {"role": "user", "content": OTHER}]},
]


def table(rows: list[dict[str, Any]]) -> pyarrow.Table:
    return pyarrow.Table.from_pylist(rows)


KINDS: dict[str, Any] = {
    "list": list,
    "pyarrow": table,
    "polars": polars.DataFrame,
    "pandas": pandas.DataFrame,
    "pandas of NumPy": lambda rows: table(rows).to_pandas(),
    "datasets": datasets.Dataset.from_list,
}


def ids(rows: Any) -> list[Any]:
    column = [row["id"] for row in rows] if isinstance(rows, list) else rows["id"]
    return [getattr(id, "as_py", lambda id=id: id)() for id in column]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text", ["messages[].content", "messages.content", "body|messages[].content"]
)
def test_the_texts_of_a_list_are_one_text(kind: str, text: str) -> None:
    result = nr.dedup(KINDS[kind](CHATS), text=text)
    assert ids(result.removed) == [3]
    assert result.summary["bytes"]["text"] == 2 * len(NEWS + OTHER) + 2 + len(OTHER)


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_reads_the_texts_of_a_list(kind: str, tmp_path: Path) -> None:
    index = nr.Index.create(tmp_path / "index", text="messages.content")
    chats = KINDS[kind](CHATS)
    added = index.add(chats, if_new=True)
    outcomes = [row["outcome"] for row in added] if kind == "list" else list(added["outcome"])
    assert [str(outcome) for outcome in outcomes] == ["new", "new", "duplicate"]
    assert ids(index.query(chats)) == [1, 2, 3]
    with pytest.raises(nr.RejectedError, match=r"text=: .*messages\[\]\.content"):
        index.add(chats, text="messages")


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_in_place_of_a_text_is_told_with_its_texts(kind: str) -> None:
    with pytest.raises(nr.RejectedError, match=r"text=: .*messages\[\]\.content") as caught:
        nr.dedup(KINDS[kind](CHATS), text="messages")
    assert (caught.value.field, caught.value.problem) == ("messages", "wrong_type")


@pytest.mark.parametrize("kind", KINDS)
def test_fields_inside_of_others_have_alternatives(kind: str) -> None:
    rows: list[dict[str, Any]] = [
        {"meta": {"key": "a", "rank": 1}, "doc": {"text": NEWS}, "body": None},
        {"meta": {"key": "b", "rank": 2}, "doc": {"text": None}, "body": NEWS},
    ]
    result = nr.dedup(
        KINDS[kind](rows), text="doc.text|body", id="meta.key", keep="highest:meta.rank"
    )
    assert ids(result.removed) == ["a"]
    rows[1]["doc"]["text"] = ""
    result = nr.dedup(KINDS[kind](rows), text="doc.text|body", id="meta.key")
    assert ids(result.removed) == ["b"]
    with pytest.raises(nr.UsageError, match="leak_action: mask changes a column") as caught:
        nr.dedup(KINDS[kind](rows), text="doc.text", id="off", against=[OTHER], leak_action="mask")
    assert caught.value.setting == "leak_action"
    assert "for the command line (python -m nearprint)" in str(caught.value)


def test_contents_may_be_texts_and_lists_of_parts() -> None:
    parts = [{"type": "text", "text": NEWS}, {"type": "image_url", "image_url": {"url": "x"}}]
    rows = [
        {"id": 1, "messages": [{"content": OTHER}, {"content": parts}]},
        {"id": 2, "messages": [{"content": OTHER}, {"content": NEWS}]},
        {"id": 3, "messages": [{"content": parts}]},
    ]
    for text in (
        "messages[].content|messages[].content[].text",
        "messages[].content[].text|messages[].content",
    ):
        result = nr.dedup(rows, text=text, keep="first", preset="exact")
        assert ids(result.removed) == [2]
        assert result.summary["bytes"]["text"] == 2 * len(OTHER + NEWS) + 2 + len(NEWS)


LISTS: list[dict[str, Any]] = [
    {"id": "a", "text": NEWS, "day": [None, 7], "rank": [1.5], "tags": ["x", None, "y"]},
    {"id": "b", "text": NEWS, "day": [8, 9], "rank": [2.5, 3.5], "tags": ["x", "a"]},
    {"id": "c", "text": NEWS, "day": [], "rank": None, "tags": [None]},
]


@pytest.mark.parametrize("kind", ["list", "pyarrow", "polars", "datasets"])
def test_a_list_has_one_value_or_its_texts_joined(kind: str) -> None:
    rows = KINDS[kind](LISTS)
    for field in ("day[]", "rank[]"):
        assert ids(nr.dedup(rows, keep=f"highest:{field}").removed) == ["b", "c"], field
    with pytest.warns(nr.NearprintWarning, match="ranks letter by letter"):
        assert ids(nr.dedup(rows, keep="highest:tags[]").removed) == ["b", "c"]


def test_the_longest_name_around_a_field_counts() -> None:
    row = {"id": 1, "text": NEWS, "a": {"b": {"c": 1}}, "a.b": {"c": 9}}
    other = {"id": 2, "text": NEWS, "a": {"b": {"c": 5}}, "a.b": {"c": 5}}
    assert ids(nr.dedup([row, other], keep="highest:a.b.c").removed) == [2]


def test_an_absent_field_is_as_a_null_one_unless_no_row_has_it(tmp_path: Path) -> None:
    rows = [{"id": 1, "text": NEWS}, {"id": 2, "title": "Bakers", "text": OTHER}]
    assert nr.dedup(rows, text=["title", "text"]).kept == rows
    for kind in KINDS.values():
        with pytest.raises(nr.UsageError, match='"titel"; did you mean "title"') as caught:
            nr.dedup(kind(rows[::-1]), text=["titel", "text"])
        assert caught.value.setting == "text"
    index = nr.Index.create(tmp_path / "index", text=["title", "text"])
    with pytest.raises(nr.UsageError, match='no row of the input has a field "title"'):
        index.add(rows[:1])
    index.add(rows)
    assert index.add([{"id": 3, "text": NEWS}])[0]["outcome"] == "new"
    assert len(index.query([{"text": NEWS}])) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_without_a_value_is_as_an_absent_one(kind: str, tmp_path: Path) -> None:
    rows = [{"id": 1, "title": None, "text": NEWS}, {"id": 2, "title": None, "text": OTHER}]
    index = nr.Index.create(tmp_path / "index", text=["title", "text"])
    tables = [KINDS[kind](rows)]
    if kind == "pandas":
        # An empty column of a file is one of floats.
        tables += [tables[0].astype({"title": dtype}) for dtype in ("float64", "Float64")]
    for own in tables:
        assert ids(nr.dedup(own, text=["title", "text"]).kept) == [1, 2]
        assert ids(nr.dedup(own, text="title|text").kept) == [1, 2]
        index.add(own)
        assert ids(index.query(own)) == [1, 2] and len(index) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_all_fields_are_told(kind: str) -> None:
    rows = [{"id": 1, "text": NEWS, "lang": "en", "more": 1}]
    with pytest.raises(
        nr.UsageError, match='did you mean "lang"\\? there are: id, text, lang, more'
    ):
        nr.dedup(KINDS[kind](rows), same="lagn")


def test_a_wrong_keyword_has_the_name_that_was_written(tmp_path: Path) -> None:
    with pytest.raises(nr.UsageError, match="^store_field: is not a setting") as caught:
        nr.Index.create(tmp_path / "index", store_field="title")  # type: ignore[call-arg]
    assert caught.value.setting == "store_field"


def test_ids_are_any_single_values() -> None:
    from datetime import date
    from decimal import Decimal

    first = uuid.UUID(int=1)
    for values in (
        [0.5, 1.5],
        [True, False],
        [date(2026, 1, 1), date(2026, 1, 2)],
        [Decimal("1.10"), Decimal("1.1000001")],
    ):
        rows = pyarrow.table({"id": values, "text": [NEWS, NEWS]})
        result = nr.dedup(rows)
        assert result.removed["id"].to_pylist() == values[1:]
        assert result.removed["keeper"].to_pylist() == values[:1]
    removed = nr.dedup(
        [{"id": first, "text": NEWS}, {"id": uuid.UUID(int=2), "text": NEWS}]
    ).removed
    assert removed[0]["keeper"] == str(first)


def test_a_tuple_is_one_id(tmp_path: Path) -> None:
    ids = [("wire", 7), ("wire", 8), ("诗", 7)]
    texts = (NEWS, NEWS, OTHER)
    rows: list[dict[str, Any]] = [
        {"key": {"own": id}, "text": text} for id, text in zip(ids, texts)
    ]
    for result in (nr.dedup(rows, id="key.own"), nr.dedup(rows, against=rows[:1], id="key.own")):
        assert result.removed[0]["keeper"] == '["wire", 7]'
    removed = nr.dedup(rows, id="key.own").removed
    assert [(row["row"], row["id"]) for row in removed] == [(1, '["wire", 8]')]
    rows = [{"id": id, "text": text} for id, text in zip(ids, texts)]
    nr.dedup(rows).save(tmp_path / "out")
    read = nr.dedup(tmp_path / "out/kept/documents.jsonl").labels
    assert read["id"].to_pylist() == ['["wire", 7]', '["诗", 7]']
    rows = [{"key": {"own": id}, "text": row["text"]} for id, row in zip(ids, rows)]
    pair = [{"left": ids[0], "right": ids[1]}]
    assert nr.evaluate(pair, pair, documents=rows, id="key.own").f1.value == 1
    with pytest.raises(nr.RejectedError, match="wire.*was used before"):
        nr.dedup([rows[0], rows[0]], id="key.own")


def test_true_ranks_above_false() -> None:
    rows = [{"text": NEWS, "flag": flag} for flag in (None, False, True)]
    assert nr.dedup(rows, keep="highest:flag").kept == rows[2:]


@pytest.mark.parametrize(
    "part",
    [object(), {"a"}, {"a": 1}, b"x", float("nan"), pandas.NaT, pandas.NA, timedelta(1), [1]],
)
def test_a_tuple_with_other_values_is_no_id(part: Any) -> None:
    with pytest.raises(nr.UsageError, match="^id: a tuple with .* in it; give strings, numbers"):
        nr.dedup([{"id": ("a", (part,)), "text": NEWS}])
    with nr.Index.create() as index, pytest.raises((TypeError, ValueError), match="tuple"):
        (("a", part)) in index
