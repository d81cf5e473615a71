"""A persistent index: every call, kinds of tables, threads, forks, invalid calls."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
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

from conftest import NEWS, OTHER, TEXTS, command_line

ROWS: list[dict[str, Any]] = [{"id": id, "text": text} for id, text in zip("abcde", TEXTS)]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[nr.Index]:
    with nr.Index.create(tmp_path / "seen") as index:
        yield index


def test_each_call_there_and_back(tmp_path: Path) -> None:
    folder = tmp_path / "seen"
    index = nr.Index.create(folder, store_fields=["title"], store_text=True, min_similarity=0.7)
    rows = [{**row, "title": f"Title {row['id']}"} for row in ROWS]
    assert index.add(rows[:3]) == [{"id": id, "outcome": "new"} for id in "abc"]
    changed = [rows[0], {**rows[1], "title": "Other"}, rows[4]]
    assert [row["outcome"] for row in index.add(changed)] == ["unchanged", "replaced", "new"]
    assert len(index) == 4 and "a" in index and "d" not in index

    first, second = index.query(NEWS)
    assert first == nr.Match("a", 1.0, "exact", 0, {"title": "Title a"}, NEWS)
    assert (second.id, second.reason, second.text) == ("c", "near", TEXTS[2])
    assert index.query(NEWS, top=1) == [first] and index.query("nothing of the kind") == []

    found = index.query([rows[3], rows[0], {"id": "z", "text": "unseen"}], top=1)
    assert [list(row) for row in found] == [
        ["id", "rank", "match", "similarity", "reason", "distance", "more"]
    ] * 2
    assert [(row["id"], row["rank"], row["match"], row["more"]) for row in found] == [
        ("d", 1, "b", 0),
        ("a", 1, "a", 1),
    ]
    # Texts without ids are named by their rows, from 0.
    assert [(row["id"], row["match"]) for row in index.query(["unseen", OTHER])] == [(1, "b")]

    assert (
        index.remove("a") == 1 and index.remove(["a", "b", "b", "x"]) == 1 and index.remove([]) == 0
    )
    assert [row["id"] for row in index.export()] == ["c", "e"]
    assert next(index.export()) == {"id": "c", "text": TEXTS[2], "title": "Title c"}
    index.compact()
    info = index.info(recall_sample=0)
    assert (info["documents"], info["removed"]) == (2, 0)
    assert info["settings"]["min-similarity"] == 0.7
    assert index.verify() == []
    assert index.config.min_similarity == 0.7 and index.path == str(folder)
    assert repr(index) == f"<Index: {folder}>" and bool(nr.Index.create(tmp_path / "empty"))
    assert command_line("index", "query", folder, "--text", TEXTS[4]).count('"id":"e"') == 1


def test_counts_below_zero_are_refused(index: nr.Index) -> None:
    index.add(ROWS)
    asks: list[tuple[Callable[[], object], str]] = [
        (lambda: index.query(OTHER, top=-1), "top"),
        (lambda: index.query(ROWS, top=-1), "top"),
        (lambda: index.info(recall_sample=-1), "recall_sample"),
        (lambda: nr.compare(OTHER, OTHER, top=-1), "top"),
        (lambda: nr.Stats.build(TEXTS).top(-1), "n"),
    ]
    for ask, name in asks:
        with pytest.raises(ValueError, match=f"{name}: -1 is below 0; give a number from 0 on"):
            ask()
    with pytest.raises(ValueError, match="top: .* is too large"):
        index.query(OTHER, top=1 << 70)


def test_all_of_a_large_family_are_found(index: nr.Index) -> None:
    rest = "The captain likes the quiet engine, and the baker brings her a warm loaf before dawn."
    story = f"{NEWS}. {OTHER}. {rest} Copy {{}} of the page."
    index.add([{"id": id, "text": story.format(id)} for id in range(600)])
    asked = story.format(77).replace("the page", "a page")
    assert len(index.query(asked, top=1000)) == 600
    found = index.query([asked], top=3)
    assert found[0]["match"] == 77 and [row["more"] for row in found] == [597] * 3
    assert index.add([{"id": 600, "text": asked}], if_new=True)[0]["duplicate"] == 77


def test_long_ids_beside_none_stay_whole_in_pandas(index: nr.Index) -> None:
    first = (1 << 53) + 1
    index.add([{"id": first, "text": NEWS}])
    frame = pandas.DataFrame({"id": [first + 1, first + 3], "text": [NEWS, OTHER]})
    duplicates = index.add(frame, if_new=True)["duplicate"]
    assert duplicates[0] == first and duplicates[1] is pandas.NA
    assert str(index.query(frame)["match"].dtype) == "int64"


def test_only_new_ones_are_added_of_copies_the_first(index: nr.Index) -> None:
    index.add([{"id": "old", "text": OTHER}])
    answers = index.add(ROWS, if_new=True)
    assert [list(row) for row in answers] == [
        ["id", "outcome", "new", "duplicate", "similarity", "reason", "distance"]
    ] * 5
    assert [(row["id"], row["outcome"], row["new"], row["duplicate"]) for row in answers] == [
        ("a", "new", True, None),
        ("b", "duplicate", False, "old"),
        ("c", "duplicate", False, "a"),
        ("d", "duplicate", False, "old"),
        ("e", "new", True, None),
    ]
    assert (answers[0]["similarity"], answers[0]["reason"], answers[0]["distance"]) == (
        None,
        None,
        None,
    )
    assert (answers[1]["similarity"], answers[1]["reason"], answers[1]["distance"]) == (
        1.0,
        "exact",
        0,
    )
    assert answers[2]["reason"] == "near" and len(index) == 3
    assert index.add([], if_new=True) == []


ARROW = pyarrow.table({"id": list("abcde"), "text": TEXTS})

KINDS: list[tuple[str, Callable[[], Any], Callable[[Any], list[dict[str, Any]]], Any]] = [
    ("pyarrow", lambda: ARROW, lambda rows: list(rows.to_pylist()), pyarrow.Table),
    (
        "polars",
        lambda: polars.DataFrame(ARROW),
        lambda rows: list(rows.to_dicts()),
        polars.DataFrame,
    ),
    (
        "polars lazy",
        lambda: polars.DataFrame(ARROW).lazy(),
        lambda rows: list(rows.to_dicts()),
        polars.DataFrame,
    ),
    (
        "pandas",
        lambda: ARROW.to_pandas(),
        lambda rows: list(pyarrow.Table.from_pandas(rows).to_pylist()),
        pandas.DataFrame,
    ),
    (
        "pandas objects",
        lambda: ARROW.to_pandas().astype(object),
        lambda rows: list(pyarrow.Table.from_pandas(rows).to_pylist()),
        pandas.DataFrame,
    ),
    (
        "duckdb",
        lambda: duckdb.from_arrow(ARROW),
        lambda rows: list(pyarrow.table(rows).to_pylist()),
        duckdb.DuckDBPyRelation,
    ),
    ("datasets", lambda: datasets.Dataset(ARROW), lambda rows: list(rows), datasets.Dataset),
    ("list", lambda: ARROW.to_pylist(), lambda rows: list(rows), list),
    ("tuple", lambda: tuple(ARROW.to_pylist()), lambda rows: list(rows), list),
    (
        "arro3",
        lambda: Table.from_arrow(ARROW),
        lambda rows: list(pyarrow.table(rows).to_pylist()),
        Table,
    ),
]


@pytest.mark.parametrize(
    ("make", "rows_of", "kind"), [case[1:] for case in KINDS], ids=[case[0] for case in KINDS]
)
def test_tables_come_back_as_the_kind_that_came_in(
    index: nr.Index,
    make: Callable[[], Any],
    rows_of: Callable[[Any], list[dict[str, Any]]],
    kind: Any,
) -> None:
    added = index.add(make(), if_new=True)
    assert isinstance(added, kind)
    assert [(row["id"], row["outcome"], row["duplicate"]) for row in rows_of(added)] == [
        ("a", "new", None),
        ("b", "new", None),
        ("c", "duplicate", "a"),
        ("d", "duplicate", "b"),
        ("e", "new", None),
    ]
    assert [row["distance"] for row in rows_of(added)][:3] == [None, None, 0]
    found = index.query(make())
    assert isinstance(found, kind)
    assert [(row["id"], row["match"], row["reason"]) for row in rows_of(found)] == [
        ("a", "a", "exact"),
        ("b", "b", "exact"),
        ("c", "a", "near"),
        ("d", "b", "near"),
        ("e", "e", "exact"),
    ]


def test_ids_are_strings_or_integers_of_64_bits(index: nr.Index) -> None:
    integers = [7, -(1 << 63), (1 << 63) - 1]
    table = pyarrow.table({"id": integers, "text": TEXTS[:3]})
    assert index.add(table)["id"].type == pyarrow.int64()
    assert index.add([{"id": (1 << 64) - 1, "text": TEXTS[4]}])[0]["id"] == (1 << 64) - 1
    for id in [
        *integers,
        (1 << 64) - 1,
        numpy.int64(7),
        numpy.uint64((1 << 64) - 1),
        pyarrow.scalar(7),
    ]:
        assert id in index
    assert index.query(TEXTS[4])[0].id == (1 << 64) - 1 and "7" not in index and 8 not in index
    assert pyarrow.table({"text": TEXTS[:1]}).num_rows == 1
    found = index.query(pyarrow.table({"id": ["asked"], "text": TEXTS[:1]}))
    assert found["match"].type == pyarrow.int64() and found["match"].to_pylist() == [
        7,
        (1 << 63) - 1,
    ]
    index.add([{"id": "7", "text": OTHER}])
    found = index.query(pyarrow.table({"id": [1, 2], "text": [TEXTS[0], OTHER]}))
    assert found["match"].type == pyarrow.string() and set(found["match"].to_pylist()) == {
        "7",
        str(-(1 << 63)),
        str((1 << 63) - 1),
    }
    big = index.query(pyarrow.table({"id": [1], "text": [TEXTS[4]]}))["match"]
    assert big.type == pyarrow.uint64() and big.to_pylist() == [(1 << 64) - 1]
    # Without matches, the column has the type of the ids of queries.
    assert (
        index.query(pyarrow.table({"id": [1], "text": ["unseen"]}))["match"].type == pyarrow.int64()
    )
    assert (
        index.query(pyarrow.table({"id": ["a"], "text": ["unseen"]}))["match"].type
        == pyarrow.string()
    )
    assert index.remove(numpy.array(integers)) == 3 and index.remove(pyarrow.array(["7"])) == 1
    assert index.remove(numpy.uint64((1 << 64) - 1)) == 1 and len(index) == 0
    for wrong in (None, object(), [None], [["a"]], float("nan")):
        with pytest.raises(TypeError, match="an id is a string, a number, a boolean, a date, a"):
            index.remove(wrong)  # type: ignore[arg-type]
    with pytest.raises(nr.UsageError, match="does not fit 64 bits"):
        assert 1 << 64 in index


def test_the_settings_it_was_made_with_stay(tmp_path: Path) -> None:
    index = nr.Index.create(
        tmp_path / "seen",
        text=["title", "body"],
        id="url",
        bits=64,
        on_error="skip",
        max_rejected="100%",
    )
    frame = polars.DataFrame(
        {"url": ["x", "y", "z"], "title": ["One", "Two", None], "body": [*TEXTS[:2], None]}
    )
    with pytest.warns(nr.NearprintWarning, match="left out: documents, row 2"):
        assert index.add(frame)["id"].to_list() == ["x", "y"]
    with pytest.warns(nr.NearprintWarning, match="left out: documents, row 2"):
        assert index.query(frame)["id"].to_list() == ["x", "y"]
    # The usable rows are added before the others are refused.
    with pytest.raises(nr.RejectedError, match="max_rejected=0 does not allow this"):
        index.add([{"url": "u", "title": "T", "body": "b"}, {"url": "v"}], max_rejected=0)
    assert "u" in index and index.remove("u") == 1
    index = nr.Index.open(tmp_path / "seen")
    assert (index.config.text_field, index.config.id_field, index.config.bits) == (
        ["title", "body"],
        "url",
        64,
    )
    with pytest.raises(nr.RejectedError) as caught:
        index.add([{"url": "v"}, {"url": "w", "title": "Five", "body": "b"}], on_error="fail")
    assert (caught.value.row, caught.value.problem) == (0, "null_field") and "w" not in index
    assert index.add([{"name": "w", "text": NEWS}], text="text", id="name", threads=1) == [
        {"id": "w", "outcome": "new"}
    ]
    for settings in ({"min_similarity": 0.5}, {"bits": 128}, {"features": "words"}):
        with pytest.raises(
            nr.UsageError,
            match="was made with other settings; .* for [a-z_]+=, not .*; take the settings of the index",
        ):
            index.add(frame, **settings)
        with pytest.raises(
            nr.UsageError,
            match="was made with other settings; .* for [a-z_]+=, not .*; take the settings of the index",
        ):
            index.query(NEWS, **settings)
    # The next call uses the index's own settings again.
    assert index.add(frame[:1])["outcome"].to_list() == ["unchanged"]


def test_an_addition_that_fails_tells_what_is_done(index: nr.Index) -> None:
    rows = [*ROWS[:2], {"id": "z", "text": None}, *ROWS[2:]]
    with pytest.raises(nr.RejectedError, match="row 2: .*; 2 rows before the error are done") as it:
        index.add(rows)
    assert it.value.row == 2 and len(index) == 2
    assert str(pickle.loads(pickle.dumps(it.value))) == str(it.value)
    with pytest.raises(nr.RejectedError) as caught:
        index.add([{"id": "z", "text": None}])
    assert "done" not in str(caught.value)


def test_a_new_index_begins_with_the_fields_that_it_stores(tmp_path: Path) -> None:
    index = nr.Index.create(tmp_path / "seen", store_fields="titel")
    titled = [{**row, "title": "Ferry"} for row in ROWS]
    for rows in (titled, pyarrow.Table.from_pylist(titled), pandas.DataFrame(titled)):
        with pytest.raises(nr.UsageError, match='no row .* has a field "titel"; .*"title"') as it:
            index.add(rows)
        assert it.value.setting == "store_fields" and len(index) == 0
    assert len(index.add([])) == 0 and len(index.add(pyarrow.Table.from_pylist(titled)[:0])) == 0
    # Of many rows one is enough, and later ones need none.
    rows = [{"id": number, "text": f"{NEWS} {number}"} for number in range(1200)]
    index.add([*rows, {"id": 1200, "text": OTHER, "titel": "Tools"}])
    assert len(index) == 1201 and index.add(ROWS)[0]["outcome"] == "new"


def test_documents_expire(tmp_path: Path) -> None:
    now = datetime.now(timezone.utc)
    dates = [now - timedelta(days=3), now - timedelta(hours=1), now]
    index = nr.Index.create(
        tmp_path / "dated", ttl=timedelta(days=2), date_field="day", store_fields="day"
    )
    table = pyarrow.table({"id": [1, 2, 3], "text": TEXTS[:3], "day": dates})
    assert index.add(table)["outcome"].to_pylist() == ["expired", "new", "new"]
    assert index.add([{"id": 4, "text": OTHER, "day": now.isoformat()}])[0]["outcome"] == "new"
    assert index.query(OTHER)[0].fields.keys() == {"day"}
    assert index.info()["options"]["ttl"] == "2d"
    with pytest.raises(nr.RejectedError, match='field "day" is nothing') as caught:
        index.add([{"id": 5, "text": OTHER}])
    assert caught.value.row == 0
    brief = nr.Index.create(tmp_path / "brief", ttl="4s")
    brief.add(ROWS[:1])
    assert len(brief.query(NEWS)) == len(brief) == 1 and ROWS[0]["id"] in brief
    time.sleep(4.1)
    assert (
        brief.query(NEWS) == []
        and len(brief) == 0
        and ROWS[0]["id"] not in brief
        and list(brief.export()) == []
    )
    brief.compact()
    assert len(brief) == 0


@pytest.mark.parametrize(
    "form",
    [
        lambda day: day,
        lambda day: day.replace(tzinfo=None),
        lambda day: day.date(),
        lambda day: day.astimezone(timezone(timedelta(hours=-5))).isoformat(),
        lambda day: f"{day.year}年{day.month}月{day.day}日",
        lambda day: day.strftime("%a, %d %b %Y %H:%M:%S GMT"),
        lambda day: int(day.timestamp() * 1000),
    ],
    ids=["aware", "naive", "date", "zone", "Chinese", "feed", "milliseconds"],
)
def test_dates_of_every_form_and_kind_of_table_expire(
    form: Callable[[datetime], Any], tmp_path: Path
) -> None:
    now = datetime.now(timezone.utc)
    rows = [
        {"id": id, "text": text, "day": form(now - timedelta(days=days))}
        for id, text, days in (("past", NEWS, 9), ("fresh", OTHER, 2))
    ]
    frame = pandas.DataFrame(rows)
    for name, documents in {
        "list": rows,
        "pandas": frame,
        "pandas objects": frame.astype(object),
        "polars": polars.DataFrame(rows),
        "pyarrow": pyarrow.Table.from_pylist(rows),
    }.items():
        index = nr.Index.create(tmp_path / name, ttl="5d", date_field="day")
        index.add(documents)
        assert len(index) == 1 and "fresh" in index, name
        assert index.query(NEWS) == [] and index.query(OTHER)[0].id == "fresh", name


def test_what_is_stored_comes_back_as_json_has_it(tmp_path: Path) -> None:
    index = nr.Index.create(
        tmp_path / "seen", store_fields=("count", "share", "seen", "title"), store_text=False
    )
    index.add(
        [
            {
                "id": 1,
                "text": NEWS.upper(),
                "count": 3,
                "share": 0.5,
                "seen": True,
                "title": "诗",
                "other": "left out",
            }
        ]
    )
    (match,) = index.query(NEWS)
    assert (
        match.fields == {"count": 3, "share": 0.5, "seen": True, "title": "诗"}
        and match.text is None
    )
    assert list(index.export()) == [{"id": 1, "text": NEWS.lower(), **match.fields}]


def test_what_cannot_be_is_refused(tmp_path: Path, index: nr.Index) -> None:
    with pytest.raises(nr.RejectedError, match='no column "id"; there are: text'):
        index.add(pyarrow.table({"text": TEXTS}))
    for without in (TEXTS, [{"text": NEWS}], pandas.Series(TEXTS)):
        with pytest.raises(nr.RejectedError, match='no column "id"'):
            index.add(without)
    with pytest.raises(nr.UsageError, match="documents of an index need ids") as usage:
        index.add(ROWS, id="off")
    assert usage.value.setting == "id"
    with pytest.raises(nr.RejectedError) as rejected:
        index.add([*ROWS, {"id": None, "text": "f"}])
    assert (rejected.value.row, rejected.value.field) == (5, "id")
    with pytest.raises(nr.RejectedError):
        index.query([None])
    with pytest.raises(nr.UsageError, match="a dict is no table; put a row in a list"):
        index.add({"id": 1})
    with pytest.raises(UnicodeEncodeError):
        index.query("\ud800")
    with pytest.raises(nr.RejectedError, match="text, row 1"):
        index.query("a" * 20, max_document_bytes=10)
    with pytest.raises(TypeError, match="Index.create"):
        nr.Index()
    assert len(index) == 0

    with pytest.raises(nr.IncompatibleError, match="is not an index") as absent:
        nr.Index.open(tmp_path / "absent")
    assert absent.value.file == str(tmp_path / "absent") and not (tmp_path / "absent").exists()
    with pytest.raises(nr.UsageError, match=r"^index: .* is not empty"):
        nr.Index.create(index.path)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"ttl": "soon"}, "ttl"),
        ({"ttl": timedelta(0)}, "ttl"),
        ({"ttl": timedelta(days=50_000)}, "ttl"),
        ({"distance": "edit"}, "distance"),
        ({"same": "lang"}, "same"),
        ({"recall": 0.9}, "recall"),
        ({"features": "words", "weights": "entropy"}, "stats"),
        ({"bits": 100}, "bits"),
    ]
    for settings, setting in cases:
        with pytest.raises(nr.UsageError) as usage:
            nr.Index.create(tmp_path / "refused", **settings)
        assert usage.value.setting == setting and not (tmp_path / "refused").exists(), setting
    with pytest.raises(nr.UsageError, match="ttl: 50000d is too long; the longest is 49710d"):
        nr.Index.create(tmp_path / "refused", ttl=timedelta(days=50_000))


def test_a_question_is_about_documents_of_some_sources_and_dates(tmp_path: Path) -> None:
    text = "The night ferry to Cobble Island sails again from Friday with both engines replaced."
    rows = [
        {"id": "a", "text": text, "source": "wire", "day": "2026-11-01"},
        {"id": "b", "text": text, "source": "post", "day": "2026-11-08"},
    ]
    asked = [{"id": "q", "text": text, "source": "wire", "day": "2026-11-02"}]
    with nr.Index.create(tmp_path / "seen", store_fields="source", date_field="day") as index:
        index.add(rows)

        def found(**settings: Any) -> str:
            return "".join(row["match"] for row in index.query(asked, **settings))

        assert found() == "ab"
        assert (found(within="6d"), found(within=timedelta(hours=143))) == ("ab", "a")
        assert found(where={"source": "post"}) == "b"
        assert found(where={"source": ["post", "wire"]}) == "ab"
        assert (found(same="source"), found(differ="source")) == ("a", "b")
        assert [match.id for match in index.query(text, where={"source": "post"})] == ["b"]
        with pytest.raises(nr.UsageError, match="stores no field") as usage:
            index.query(text, where={"author": "me"})
        assert usage.value.setting == "where"
        [added] = index.add(asked, if_new=True, where={"source": "none"})
        assert added["outcome"] == "new"


def test_what_is_damaged_is_named(tmp_path: Path) -> None:
    with nr.Index.create(tmp_path / "seen") as index:
        index.add(ROWS)
    store = sqlite3.connect(tmp_path / "seen" / "documents.sqlite")
    store.execute("UPDATE texts SET text = x'00' WHERE number = 1")
    store.commit()
    store.close()
    with nr.Index.open(tmp_path / "seen") as index:
        for look in (index.verify, index.export):
            with pytest.raises(nr.IncompatibleError, match="is damaged") as caught:
                look()
            assert caught.value.file == str(tmp_path / "seen" / "documents.sqlite")
    (tmp_path / "seen" / "generation").write_bytes(b"of another build")
    with pytest.raises(nr.IncompatibleError, match="check the index with Index.verify; the next"):
        nr.Index.open(tmp_path / "seen")
    (tmp_path / "seen" / "documents.sqlite").write_bytes(b"no file of SQLite")
    with pytest.raises(nr.IncompatibleError):
        nr.Index.open(tmp_path / "seen")


@pytest.mark.skipif(os.name == "nt", reason="locks of another kind")
def test_one_writes_at_a_time(tmp_path: Path, index: nr.Index) -> None:
    import fcntl

    index.add(ROWS[:1])
    with open(Path(index.path) / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(nr.TakenError, match="another process is writing") as caught:
            index.add(ROWS[1:])
    assert caught.value.file == index.path and isinstance(caught.value, (nr.FileError, OSError))
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is nr.TakenError and (again.file, str(again)) == (
        caught.value.file,
        str(caught.value),
    )
    assert len(index) == 1 and len(index.add(ROWS[1:])) == 4


def test_a_folder_that_cannot_be_written_can_be_asked(tmp_path: Path) -> None:
    with nr.Index.create(tmp_path / "seen") as index:
        index.add(ROWS)
    for path in [*(tmp_path / "seen").rglob("*"), tmp_path / "seen"]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        with nr.Index.open(tmp_path / "seen") as index:
            assert index.query(NEWS)[0].id == "a"
            with pytest.raises(nr.FileError):
                index.remove("a")
    finally:
        for path in [tmp_path / "seen", *(tmp_path / "seen").rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)


def test_what_is_closed_is_closed(tmp_path: Path) -> None:
    with nr.Index.create(tmp_path / "seen") as index:
        rest = index.export()
    index.close()
    assert list(rest) == [] and repr(index) == f"<Index: {tmp_path / 'seen'}, closed>"
    for call in (
        lambda: len(index),
        lambda: index.query("a"),
        lambda: index.add([]),
        index.compact,
        index.verify,
        index.info,
        index.export,
    ):
        with pytest.raises(nr.UsageError, match="is closed; open it again"):
            call()
    with pytest.raises(ZeroDivisionError), nr.Index.open(tmp_path / "seen"):
        raise ZeroDivisionError


def test_it_is_found_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    index = nr.Index.create("seen")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    index.add(ROWS)
    assert len(pickle.loads(pickle.dumps(index))) == len(nr.Index.open("../seen")) == 5


def test_copies_are_opened_again(index: nr.Index) -> None:
    index.add(ROWS)
    for again in (copy.copy(index), copy.deepcopy([index])[0], pickle.loads(pickle.dumps(index))):
        assert again is not index and again.path == index.path and len(again.query(NEWS)) == 2
        again.close()
    assert len(index) == 5


def test_another_object_and_process_see_what_was_added(index: nr.Index) -> None:
    other = nr.Index.open(index.path)
    assert other.query(NEWS) == []
    index.add(ROWS)
    assert [match.id for match in other.query(NEWS)] == ["a", "c"]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_add_one, (index, "z")) == 6
    assert "z" in index and "z" in other


def _add_one(index: nr.Index, id: str) -> int:
    index.add([{"id": id, "text": f"{OTHER} {id}"}])
    return len(index)


def test_threads_share_one_object(index: nr.Index) -> None:
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(5):
                index.add([{"id": f"{number}-{turn}", "text": f"{NEWS} {number} {turn}"}])
                assert f"{number}-{turn}" in index and index.query(NEWS)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and len(index) == 30 and index.verify() == []


def test_other_threads_go_on_while_a_call_does(index: nr.Index) -> None:
    over, ticks = threading.Event(), 0

    def tick() -> None:
        nonlocal ticks
        while not over.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    index.add(polars.DataFrame({"id": list(range(3000)), "text": generated(3000)}), threads=1)
    over.set()
    thread.join()
    assert ticks > 5


def test_asyncio_asks_on_threads(index: nr.Index) -> None:
    import asyncio

    index.add(ROWS)

    async def ask() -> list[list[nr.Match]]:
        return await asyncio.gather(*(asyncio.to_thread(index.query, text) for text in TEXTS))

    assert [[match.id for match in matches] for matches in asyncio.run(ask())] == [
        ["a", "c"],
        ["b", "d"],
        ["c", "a"],
        ["d", "b"],
        ["e"],
    ]


def test_progress_is_told_and_may_end_it(index: nr.Index) -> None:
    told: list[tuple[str, int, int | None]] = []
    table = pyarrow.table({"id": list(range(2500)), "text": generated(2500)})

    def progress(stage: str, done: int, total: int | None) -> None:
        told.append((stage, done, total))

    index.add(table, progress=progress)
    assert (
        told[-1][0] == "read" and told[-1][2] == 2500 and all(done <= 2500 for _, done, _ in told)
    )

    def stop(stage: str, done: int, total: int | None) -> None:
        raise KeyError(stage)

    with pytest.raises(KeyError):
        index.query(table, progress=stop)
    assert len(index) == 2500


@pytest.mark.skipif(os.name == "nt", reason="signals of another kind")
def test_ctrl_c_ends_a_call_and_one_that_waits(tmp_path: Path) -> None:
    script = f"""
        import random, threading, time, nearprint as nr
        words = ["".join(random.choices("abcdefghijklmnop", k=6)) for _ in range(2000)]
        rows = [{{"id": n, "text": " ".join(random.choices(words, k=300))}} for n in range(60_000)]
        index = nr.Index.create({str(tmp_path / "seen")!r})
        print("ready", flush=True)
        try:
            index.add(rows, threads=1)
            print("finished", flush=True)
        except KeyboardInterrupt:
            print("interrupted", len(index) % 1000, index.verify(), flush=True)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted 0 []\n"


fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
quiet = pytest.mark.filterwarnings("ignore:This process")


def in_child(
    work: Callable[[], object], split: Callable[[], int] = getattr(os, "fork", lambda: 0)
) -> Any:
    """The result of a call in a forked child, as JSON, or the text of its exception."""
    read, write = os.pipe()
    child = split()
    if child == 0:
        try:
            told = json.dumps(work())
        except BaseException as error:
            told = json.dumps(f"{type(error).__name__}: {error}")
        os.write(write, told.encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        return json.loads(pipe.read())


@fork
@quiet
def test_a_forked_process_opens_it_again(index: nr.Index) -> None:
    index.add(ROWS)
    assert len(index.query(NEWS)) == 2

    def work() -> object:
        added = index.add([{"id": "child", "text": f"{NEWS} of the child"}])
        return [added[0]["outcome"], len(index.query(NEWS)), index.verify()]

    assert in_child(work) == ["new", 3, []]
    assert "child" in index and len(index.query(NEWS)) == 3
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.starmap(_add_one, [(index, "x")]) == [7]
    assert index.remove(["child", "x"]) == 2 and index.verify() == []


@fork
@quiet
def test_changes_of_both_processes_stay_whoever_ends_first(tmp_path: Path) -> None:
    index = nr.Index.create(tmp_path / "seen")
    index.add(ROWS[:1])
    to_child, from_parent = os.pipe()
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        index.add(ROWS[1:2])
        os.write(told, b"r")
        os.read(to_child, 1)
        # The parent has closed its own, which would have removed the log of a connection without
        # locks.
        index.add(ROWS[2:3])
        os._exit(0 if len(index) == 4 else 1)
    os.read(ready, 1)
    index.add(ROWS[3:4])
    index.close()
    os.write(from_parent, b"g")
    assert os.waitpid(child, 0)[1] == 0
    with nr.Index.open(tmp_path / "seen") as again:
        assert [row["id"] for row in again.export()] == [
            "a",
            "b",
            "d",
            "c",
        ] and again.verify() == []


@fork
@quiet
def test_a_fork_waits_for_the_calls_of_other_threads(index: nr.Index) -> None:
    table = pyarrow.table({"id": list(range(4000)), "text": generated(4000)})
    thread = threading.Thread(target=index.add, args=(table,))
    thread.start()
    time.sleep(0.05)
    assert in_child(lambda: len(index)) == 4000
    thread.join()
    assert len(index) == 4000


@fork
@quiet
def test_a_fork_in_the_middle_of_a_call_leaves_none_to_the_child(
    tmp_path: Path, index: nr.Index
) -> None:
    told: list[Any] = []

    def progress(stage: str, done: int, total: int | None) -> None:
        if not told:
            told.extend(
                [
                    in_child(lambda: len(index)),
                    in_child(lambda: str(nr.Index.create(tmp_path / "other"))),
                ]
            )

    # Enough calls that both children begin before the end.
    table = pyarrow.table({"id": list(range(40_000)), "text": generated(40_000)})
    index.add(table, progress=progress)
    assert told and all(
        "UsageError: index: an index was in use when this process was forked" in each
        for each in told
    )
    assert len(index) == 40_000 and index.verify() == []


@pytest.mark.skipif(sys.platform != "linux", reason="a fork past Python")
def test_a_fork_that_python_does_not_know_of_leaves_none_to_the_child(index: nr.Index) -> None:
    import ctypes

    index.add(ROWS)

    def work() -> object:
        nonlocal index
        path = index.path
        with pytest.raises(nr.UsageError, match="when this process was forked"):
            index.add(ROWS)
        del index
        return str(nr.Index.open(path))

    assert "when this process was forked" in in_child(work, ctypes.PyDLL(None).fork)
    assert len(index) == 5 and index.remove("a") == 1 and index.verify() == []


def generated(count: int, seed: int = 7) -> list[str]:
    """Texts of a hundred words, a third of them edited copies of others."""
    choose = random.Random(seed)
    words = [
        "".join(choose.choices("abcdefghijklmnopqrstuvwxyz", k=choose.randint(2, 9)))
        for _ in range(3000)
    ]
    texts: list[str] = []
    for _ in range(count):
        if texts and choose.random() < 1 / 3:
            copied = choose.choice(texts).split()
            for _ in range(choose.randint(0, 14)):
                copied[choose.randrange(len(copied))] = choose.choice(words)
            texts.append(" ".join(copied))
        else:
            texts.append(" ".join(choose.choices(words, k=choose.choice([4, 40, 100]))))
    return texts


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {
            "features": "words",
            "weights": "tf",
            "bits": 128,
            "verify": "jaccard",
            "min_similarity": 0.6,
        },
    ],
    ids=["default", "words"],
)
def test_answers_are_the_pairs_of_a_deduplication(tmp_path: Path, settings: dict[str, Any]) -> None:
    frame = polars.DataFrame({"id": list(range(900)), "text": generated(900)})
    pairs = nr.dedup(frame, pairs=True, **settings).pairs
    index = nr.Index.create(tmp_path / "seen", **settings)
    assert index.add(frame)["outcome"].unique().to_list() == ["new"]
    found = index.query(frame, top=1000)
    assert (found["more"] == 0).all()
    both = found.filter(polars.col("id") != polars.col("match"))
    of_index = both.filter(polars.col("id") > polars.col("match")).select(
        left="match", right="id", distance="distance", similarity="similarity", reason="reason"
    )
    # A deduplication pairs one of equal texts with the others.
    firsts = {row["text"]: row["id"] for row in reversed(frame.to_dicts())}
    is_first = {row["id"]: firsts[row["text"]] == row["id"] for row in frame.to_dicts()}
    kept = [
        row
        for row in of_index.sort("left", "right").rows()
        if row[4] == "exact" and is_first[row[0]] or is_first[row[0]] and is_first[row[1]]
    ]
    assert len(pairs) > 100
    assert kept == pairs.sort("left", "right").rows()
    # Both documents of a pair find each other.
    assert (
        both.select("id", "match").sort("id", "match").rows()
        == both.select(id="match", match="id").sort("id", "match").rows()
    )
