"""Labels, rows and pickles of results; what a table of another library gives and takes."""

from __future__ import annotations

import pickle
from typing import Any

import datasets
import duckdb
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pytest

import nearprint as nr

from conftest import NEWS, OTHER

ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": NEWS},
    {"id": "b", "text": OTHER},
    {"id": "c", "text": None},
    {"id": "d", "text": NEWS + "!"},
    {"id": "e", "text": "Half the usual price"},
]


@pytest.mark.filterwarnings("ignore::nearprint.NearprintWarning")
@pytest.mark.parametrize("kind", ["list", "pandas", "polars", "pyarrow", "duckdb", "datasets"])
def test_labels_have_a_row_for_each_row(kind: str) -> None:
    arrow = pyarrow.Table.from_pylist(ROWS)
    kinds: dict[str, Any] = {
        "list": ROWS,
        "pandas": pandas.DataFrame(ROWS, index=[9, 8, 7, 6, 5]),
        "polars": polars.DataFrame(arrow),
        "pyarrow": arrow,
        "duckdb": duckdb.from_arrow(arrow),
        "datasets": datasets.Dataset(arrow),
    }
    result = nr.dedup(kinds[kind], on_error="skip", max_rejected="100%", keep="first")
    labels = result.labels
    if kind == "pandas":
        assert list(labels.index) == [9, 8, 7, 6, 5]
        kept = kinds[kind][labels["is_kept"]]
        assert kept.equals(result.kept)
        assert labels["keeper"].isna().tolist() == [True, True, True, False, True]
    if kind == "duckdb":
        own = kinds[kind].set_alias("own")
        joined = own.join(labels.set_alias("of"), "own.id = of.id").filter("is_kept")
        assert sorted(row[0] for row in joined.fetchall()) == ["a", "b", "e"]
    rows = {"list": lambda: labels, "datasets": lambda: labels.to_list()}.get(
        kind, lambda: pyarrow.table(labels).to_pylist()
    )()
    found = [
        (row["id"], row["is_kept"], row["keeper"], row["keeper_row"], row["cluster"], row["reason"])
        for row in rows
    ]
    assert found == [
        ("a", True, None, None, 1, None),
        ("b", True, None, None, None, None),
        ("c", False, None, None, None, "rejected"),
        ("d", False, "a", 0, 1, "near"),
        ("e", True, None, None, None, None),
    ]


def test_rows_are_counted_from_0() -> None:
    with pytest.warns(nr.NearprintWarning, match="1 row left out"):
        result = nr.dedup(ROWS, on_error="skip", max_rejected=1, keep="first", just_missed=0.01)
    assert [(row["row"], row["keeper_row"]) for row in result.removed] == [(3, 0)]
    assert [(row["keeper_row"], row["rows"]) for row in result.clusters] == [(0, [0, 3])]
    assert [(row["row"], row["id"], row["file"]) for row in result.rejected] == [
        (2, "c", "documents")
    ]
    for row in result.just_missed:
        assert ROWS[row["left_row"]]["id"] == row["left"]
        assert ROWS[row["right_row"]]["id"] == row["right"]
    with pytest.raises(nr.RejectedError, match="^documents, row 2: ") as caught:
        nr.dedup(ROWS)
    assert caught.value.row == 2
    against = nr.dedup([NEWS, OTHER], against=[{"text": "x"}, {"text": NEWS}])
    assert [(row["row"], row["keeper_row"]) for row in against.removed] == [(0, 1)]
    assert [row["keeper"] for row in against.labels] == [1, None]


def test_what_is_changed_afterwards_was_not_read() -> None:
    rows = [{"text": NEWS}, {"text": OTHER}, {"text": NEWS}]
    result = nr.dedup(rows)
    rows.insert(0, {"text": "new"})
    assert result.kept == rows[1:3]
    frame = pandas.DataFrame({"text": [NEWS, OTHER, NEWS]})
    of_frame = nr.dedup(frame)
    frame["text"] = "new"
    assert of_frame.kept["text"].tolist() == [NEWS, OTHER]


def test_results_are_pickled_with_their_tables() -> None:
    frame = polars.DataFrame({"id": ["a", "b"], "text": [NEWS, NEWS]})
    result = nr.dedup(frame)
    again = pickle.loads(pickle.dumps(result))
    assert again.kept.equals(result.kept) and again.removed.equals(result.removed)
    assert again.labels.equals(result.labels) and again.summary == result.summary
    assert repr(again) == repr(result) and again._repr_html_() == result._repr_html_()
    with pytest.raises(nr.UsageError, match="comes from a pickle"):
        again.report("report.html")
    with pytest.raises(nr.UsageError, match="comes from a pickle"):
        again.pairs
    assert result.pairs.equals(pickle.loads(pickle.dumps(result)).pairs)
    with_pairs = pickle.dumps(nr.dedup(frame, pairs=True))
    assert pickle.loads(with_pairs).pairs.equals(result.pairs)
    with pytest.raises(AttributeError, match="no attribute 'keep'"):
        result.keep


def test_generators_and_streams_are_read_once() -> None:
    texts: Any = (text for text in (NEWS, OTHER, NEWS))
    assert nr.dedup(texts).kept == [NEWS, OTHER]
    stream = datasets.Dataset.from_list(ROWS[:2] + ROWS[3:]).to_iterable_dataset()
    kept = nr.dedup(stream, keep="first").kept
    assert [row["id"] for row in kept] == ["a", "b", "e"]


def test_datasets_of_files_and_of_splits(tmp_path: Any) -> None:
    rows = pyarrow.Table.from_pylist(ROWS[:2] + ROWS[3:])
    pyarrow.parquet.write_table(rows, tmp_path / "part.parquet")
    of_files = nr.dedup(pyarrow.dataset.dataset(tmp_path), keep="first")
    assert of_files.kept["id"].to_pylist() == ["a", "b", "e"]
    splits = datasets.DatasetDict(
        train=datasets.Dataset(rows.slice(0, 2)), test=datasets.Dataset(rows.slice(2))
    )
    kept = nr.dedup(splits, keep="first").kept
    assert {name: split["id"][:] for name, split in kept.items()} == {
        "train": ["a", "b"],
        "test": ["e"],
    }
    rest = "The captain likes the quiet engine, and the baker brings her a warm loaf before dawn."
    quiz = f"{rest} Quiz night came. {NEWS}, said the harbor master, and went home."
    holding = datasets.DatasetDict(
        train=datasets.Dataset.from_dict({"text": [rest]}),
        test=datasets.Dataset.from_dict({"text": [f"{quiz}\n\n{OTHER}\n\nNobody knew."]}),
    )
    masked = nr.dedup(holding, against=[OTHER], leak_action="mask").kept
    assert type(masked) is datasets.DatasetDict and masked["train"]["text"][:] == [rest]
    assert masked["test"]["text"][:] == [f"{quiz}\n\n[masked]\n\nNobody knew."]


def test_labels_are_joined_with_a_table_and_an_index_is_no_column() -> None:
    table = pandas.DataFrame(ROWS[:2], index=[7, 8])
    labels = nr.dedup(table).labels
    assert list(table.join(labels.drop(columns="id"))["is_kept"]) == [True, True]
    keyed = table.set_index("id")
    for call in (nr.dedup, nr.tune, nr.passages):
        with pytest.raises(nr.UsageError, match=r"'id' is the name of the index, .*reset_index"):
            call(keyed, id="id")
    assert len(nr.dedup(keyed).kept) == 2
    assert list(nr.dedup(keyed.reset_index(), id="id").kept["id"]) == ["a", "b"]


def test_splits_may_differ_in_columns_and_types() -> None:
    train = pyarrow.table(
        {"id": ["1", "2"], "text": [NEWS, OTHER], "label": [0, 1], "more": [3, 4]}
    )
    test = pyarrow.table(
        {
            "label": ["good", "bad"],
            "text": pyarrow.array([NEWS, "Half price"], pyarrow.large_string()),
            "id": ["3", "4"],
        }
    )
    splits = datasets.DatasetDict(train=datasets.Dataset(train), test=datasets.Dataset(test))
    result = nr.dedup(splits)
    assert result.kept["test"]["label"][:] == ["bad"]
    assert {name: split.features for name, split in result.kept.items()} == {
        name: split.features for name, split in splits.items()
    }
    rows = list(zip(result.labels["split"], result.labels["id"], result.is_kept))
    assert rows == [
        ("train", "1", True),
        ("train", "2", True),
        ("test", "3", False),
        ("test", "4", True),
    ]
    # A column that a setting names may be missing, but has one type.
    assert nr.dedup(splits, keep="highest:more").removed["id"][:] == ["3"]
    types = "label has the type integer in the split train and string in test; .* cast_column"
    with pytest.raises(nr.UsageError, match=types):
        nr.dedup(splits, keep="highest:label")


def test_numbers_of_two_kinds_and_labels_of_two_lists_are_not_mixed() -> None:
    def splits(*columns: datasets.Dataset) -> datasets.DatasetDict:
        return datasets.DatasetDict(train=columns[0], test=columns[1])

    def of(values: list[Any], kind: Any) -> datasets.Dataset:
        features = datasets.Features({"text": datasets.Value("string"), "label": kind})
        return datasets.Dataset.from_dict({"text": [NEWS], "label": values}, features=features)

    label = datasets.ClassLabel
    for one, other in (
        (of([1], datasets.Value("int64")), of([1.0], datasets.Value("float64"))),
        (of([0], label(names=["a", "b"])), of([0], label(names=["b", "a"]))),
    ):
        with pytest.raises(nr.UsageError, match="the column label has the type .* cast_column"):
            nr.dedup(splits(one, other), same="label")
    both = splits(of([0], label(names=["a"])), of([0], label(names=["a"])))
    assert len(nr.dedup(both, same="label").removed) == 1


def test_a_split_without_the_text_or_the_ids_is_named() -> None:
    rows = datasets.Dataset.from_dict({"id": ["1"], "text": [NEWS]})
    for name, there in (("text", "id"), ("id", "text")):
        splits = datasets.DatasetDict(train=rows, test=rows.remove_columns(name))
        message = f'split test has no column "{name}"; there are: {there}; .* rename_column'
        with pytest.raises(nr.RejectedError, match=message) as caught:
            nr.dedup(splits)
        assert (caught.value.field, caught.value.problem) == (name, "missing_column")
    parts = nr.dedup(
        datasets.DatasetDict(train=rows, test=rows.rename_columns({"text": "body"})),
        text=["text", "body"],
        id="off",
    )
    assert len(parts.removed) == 1
    # Splits without rows need nothing.
    none: list[Any] = []
    for columns in ({}, {"text": none}, {"id": none, "text": none, "more": none}):
        empty = datasets.DatasetDict(train=rows, test=datasets.Dataset.from_dict(columns))
        assert nr.dedup(empty).kept["train"]["id"][:] == ["1"]
    only = datasets.DatasetDict(train=rows.remove_columns("id"), test=rows.select(range(0)))
    assert nr.dedup(only).kept["train"]["text"][:] == [NEWS]
    with pytest.raises(nr.RejectedError, match='no column "body"'):
        nr.dedup(datasets.DatasetDict(train=rows), text="body")


def test_a_spark_table_is_refused_with_the_call() -> None:
    class DataFrame:
        __module__ = "pyspark.sql.classic.dataframe"

    with pytest.raises(nr.UsageError, match=r"nearprint\.spark\.dedup\(frame"):
        nr.dedup(DataFrame())


def test_leaks_are_told_in_items_and_documents() -> None:
    item = "How many days does the largest of the four moons take to go around its planet?"
    documents = [f"Quiz night.\n\n{item}\n\nNobody knew.", OTHER, item]
    listed = nr.dedup(documents, against=[item, NEWS], leak_action="list")
    assert repr(listed) == ("<Result: 1 of 2 items are in 2 of 3 documents; passages listed>")
    html = listed._repr_html_()
    assert "2 of 3 documents have them, none removed" in html and "kept, 0 removed" not in html
    removed = nr.dedup(documents, against=[item, NEWS])
    assert repr(removed) == "<Result: 1 of 2 items are in 2 of 3 documents; 2 removed>"
