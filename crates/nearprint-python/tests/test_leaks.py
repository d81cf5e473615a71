"""Items of a test set inside longer documents: found, removed, masked, cut, listed."""

from __future__ import annotations

import json
from collections.abc import Callable
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

from conftest import NEWS, OTHER, command_line, json_lines, removed_rows

#: An item, which ends with a letter, as places do; and the text around it.
ITEM = (
    "Which of the four moons that Galileo saw in 1610 is the largest, and how many days does it "
    "take to go around its planet"
)
BEFORE = (
    "😀 A page of the school quiz, as it was read out in the gym last Thursday by the new teacher "
    "of physics, who had written all of "
    "it by himself during the summer and was glad to see so many parents there.\n\n"
)
AFTER = (
    "?\n\nNobody knew the answer at once, so the tables put their heads together and wrote down "
    "what they thought was most likely; the "
    "winners went home with a basket of apples, the others with a good story for the next day at "
    "work."
)
HOLDER = BEFORE + ITEM + AFTER
PLACE = (len(BEFORE), len(BEFORE) + len(ITEM) - 1)

#: A text without items, a copy of the first item, a text that contains it.
TEXTS = [OTHER, NEWS.upper() + "!", HOLDER]
ITEMS = [NEWS, ITEM]


def cut(text: str) -> str:
    first, last = PLACE
    return text[:first] + text[last + 1 :]


def masked(text: str) -> str:
    first, last = PLACE
    return text[:first] + "[masked]" + text[last + 1 :]


def test_a_document_that_holds_an_item_is_removed_and_its_place_told() -> None:
    result = nr.dedup(TEXTS, against=ITEMS)
    assert result.kept == [OTHER]
    near, holds = result.removed
    assert (near["id"], near["keeper"], near["reason"], near["first"], near["last"]) == (
        1,
        0,
        "near",
        None,
        None,
    )
    assert (holds["id"], holds["keeper"], holds["reason"], (holds["first"], holds["last"])) == (
        2,
        1,
        "contains",
        PLACE,
    )
    assert HOLDER[holds["first"] : holds["last"] + 1] == ITEM
    assert result.leaks == [
        {
            "id": 1,
            "item": 0,
            "reason": "near",
            "similarity": 1.0,
            "first": None,
            "last": None,
            "action": "removed",
        },
        {
            "id": 2,
            "item": 1,
            "reason": "contains",
            "similarity": 1.0,
            "first": PLACE[0],
            "last": PLACE[1],
            "action": "removed",
        },
    ]
    assert result.summary["counts"]["contains"] == 1 and "; 2 removed>" in repr(result)
    assert "<td>leaks: passages</td>" in result._repr_html_()
    types = pyarrow.table(result._run.removed()).schema
    assert types.field("first").type == types.field("last").type == pyarrow.uint32()


def test_leaks_are_listed_and_nothing_is_removed() -> None:
    result = nr.dedup(TEXTS, against=ITEMS, leak_action="list")
    assert result.kept == TEXTS and result.removed == []
    assert [(row["id"], row["item"], row["reason"], row["action"]) for row in result.leaks] == [
        (1, 0, "near", "listed"),
        (2, 1, "contains", "listed"),
    ]


def test_without_other_documents_there_are_no_leaks() -> None:
    result = nr.dedup(pyarrow.table({"text": [NEWS, NEWS, HOLDER]}))
    assert result.removed.num_rows == 1
    assert result.leaks.num_rows == 0
    assert result.leaks.schema.names == [
        "id",
        "item",
        "reason",
        "similarity",
        "first",
        "last",
        "action",
    ]
    assert len(nr.dedup([NEWS, NEWS], against=[]).leaks) == 0


def test_the_least_length_of_an_item_is_a_setting() -> None:
    letters = sum(character.isalnum() for character in ITEM)
    assert nr.dedup([HOLDER], against=[ITEM], min_leak_length=letters).kept == []
    with pytest.warns(
        nr.NearprintWarning,
        match="1 of 1 documents of against= are too short .* a smaller min_leak_length=",
    ):
        assert nr.dedup([HOLDER], against=[ITEM], min_leak_length=letters + 1).kept == [HOLDER]
    assert nr.dedup([HOLDER], against=[ITEM], min_leak_length="off").kept == [HOLDER]
    assert (
        nr.Config(min_leak_length="off").min_leak_length == "off"
        and nr.Config().min_leak_length == 60
    )


def test_the_text_of_the_other_side_may_be_in_other_columns() -> None:
    documents = polars.DataFrame({"text": TEXTS})
    items = polars.DataFrame(
        {"question": ITEMS, "text": ["something else", "entirely different"], "id": ["a", "b"]}
    )
    with pytest.warns(nr.NearprintWarning, match="2 of 2 documents"):
        assert nr.dedup(documents, against=items).removed.height == 0
    for other in (
        items,
        items.drop("text"),
        items.to_pandas(),
        items.to_dicts(),
        items.to_arrow(),
        items["question"],
    ):
        removed = nr.dedup(documents, against=other, against_text_field="question").removed
        keepers = ["a", "b"] if hasattr(other, "columns") or isinstance(other, list) else [0, 1]
        assert removed.select("id", "reason").rows() == [(1, "near"), (2, "contains")]
        assert removed["keeper"].to_list() == keepers, type(other)
    split = polars.DataFrame({"question": [ITEM[:60]], "answer": [ITEM[60:]]})
    assert (
        nr.dedup(documents, against=split, against_text_field=["question", "answer"])
        .kept["text"]
        .to_list()
        == TEXTS[:2]
    )
    own = nr.dedup(
        documents.rename({"text": "body"}),
        text="body",
        against=items,
        against_text_field="question",
    )
    assert own.kept["body"].to_list() == [OTHER]
    says = (
        'against: no column "question"; there are: text; name the right one with '
        "against_text_field=$"
    )
    for other in (documents, documents.to_pandas(), documents.to_dicts(), documents.to_arrow()):
        with pytest.raises(nr.RejectedError, match=says) as caught:
            nr.dedup(documents, against=other, against_text_field="question")
        assert (caught.value.file, caught.value.field) == ("against", "question")


def test_the_ids_of_the_other_side_may_be_in_another_column_or_in_none() -> None:
    documents = polars.DataFrame({"text": TEXTS, "url": ["x", "y", "z"]})
    items = polars.DataFrame({"text": ITEMS, "name": ["a", "b"], "id": [7, 7]})

    def found(other: Any = items, **settings: Any) -> list[tuple[Any, Any]]:
        result = nr.dedup(documents, against=other, **settings)
        assert set(result.leaks["item"]) == set(result.removed["keeper"])
        rows: list[tuple[Any, Any]] = result.removed.select("id", "keeper").rows()
        return rows

    for other in (items, items.to_pandas(), items.to_arrow(), items.to_dicts()):
        assert found(other, against_id_field="name") == [(1, "a"), (2, "b")], type(other)
        assert found(other, against_id_field="off") == [(1, 0), (2, 1)], type(other)
        assert found(other, id="off") == [(1, 0), (2, 1)], type(other)
    assert found(id="url", against_id_field="name") == [("y", "a"), ("z", "b")]
    assert found(id="off", against_id_field="name") == [(1, "a"), (2, "b")]
    remedy = (
        "make ids unique, name another against_id_field=, or number the documents with "
        'against_id_field="off"'
    )
    with pytest.raises(nr.RejectedError, match=remedy):
        found()
    with pytest.raises(
        nr.RejectedError,
        match='no column "nope"; there are: .*; name the right one with against_id_field=$',
    ):
        found(against_id_field="nope")
    with pytest.raises(
        nr.RejectedError, match='no column "nope"; there are: .*; name the right one with id=$'
    ):
        found(id="nope", against_id_field="name")
    assert nr.dedup(pyarrow.table({"text": ["a", "b"], "id": [7, 7]}), id="off").kept.num_rows == 2
    assert (
        nr.dedup(pyarrow.table({"text": ["a", "b"], "id": [7, 7]}), ids="file-row").kept.num_rows
        == 2
    )
    with pytest.raises(nr.RejectedError, match='or number the documents with ids="file-row"'):
        nr.dedup(pyarrow.table({"text": ["a", "b"], "id": [7, 7]}))
    assert (nr.Config(delimiter=";").delimiter, nr.Config().delimiter, nr.Config().ids) == (
        ";",
        None,
        "field",
    )
    config = nr.Config(encoding="gbk", quote="none")
    assert (config.encoding, config.quote, config.escape) == ("GB18030", "none", None)
    with pytest.raises(nr.UsageError, match='encoding: .*"klingon" is neither auto nor a known'):
        nr.Config(encoding="klingon")
    with pytest.raises(nr.UsageError, match="id: evaluation needs ids of documents"):
        nr.evaluate(
            [{"left": 0, "right": 1}], [{"left": 0, "right": 1}], documents=documents, id="off"
        )


def test_what_cannot_be_done_is_refused() -> None:
    alone: list[dict[str, Any]] = [{"leak_action": action} for action in ("mask", "cut", "list")]
    alone += [
        {"min_leak_length": 20},
        {"against_text_field": "question"},
        {"against_id_field": "off"},
    ]
    for settings in alone:
        with pytest.raises(nr.UsageError, match="against=") as caught:
            nr.dedup(TEXTS, **settings)
        assert [caught.value.setting] == list(settings)
    with pytest.raises(nr.UsageError, match="leak_action"):
        nr.dedup(TEXTS, against=ITEMS, leak_action="burn")  # type: ignore[arg-type]


ARROW = pyarrow.table(
    {
        "text": pyarrow.chunked_array([TEXTS[:1], [], TEXTS[1:], [None, HOLDER]]),
        "n": [1, 2, 3, 4, 5],
    }
)
KEPT = [1, 3, 5]

KINDS: list[tuple[str, Callable[[], Any], Callable[[Any], list[dict[str, Any]]]]] = [
    ("pyarrow table", lambda: ARROW, lambda rows: list(rows.to_pylist())),
    (
        "pyarrow batch",
        lambda: ARROW.combine_chunks().to_batches()[0],
        lambda rows: list(rows.to_pylist()),
    ),
    ("polars", lambda: polars.DataFrame(ARROW), lambda rows: list(rows.to_dicts())),
    (
        "polars lazy",
        lambda: polars.DataFrame(ARROW).lazy(),
        lambda rows: list(rows.collect().to_dicts()),
    ),
    (
        "pandas",
        lambda: ARROW.to_pandas().set_index(numpy.array(list("abcde"))),
        lambda rows: list(rows.to_dict("records")),
    ),
    (
        "pandas objects",
        lambda: ARROW.to_pandas().astype(object),
        lambda rows: list(rows.to_dict("records")),
    ),
    (
        "duckdb",
        lambda: duckdb.from_arrow(ARROW),
        lambda rows: list(pyarrow.table(rows).to_pylist()),
    ),
    ("datasets", lambda: datasets.Dataset(ARROW), lambda rows: list(rows)),
    ("list of dicts", lambda: ARROW.to_pylist(), lambda rows: list(rows)),
    ("tuple of dicts", lambda: tuple(ARROW.to_pylist()), lambda rows: list(rows)),
    ("arro3", lambda: Table.from_arrow(ARROW), lambda rows: list(pyarrow.table(rows).to_pylist())),
]


@pytest.mark.parametrize(("action", "treat"), [("mask", masked), ("cut", cut)])
@pytest.mark.parametrize(("name", "make", "rows_of"), KINDS, ids=[kind[0] for kind in KINDS])
def test_passages_are_left_out_of_every_kind_of_table(
    name: str,
    make: Callable[[], Any],
    rows_of: Callable[[Any], list[dict[str, Any]]],
    action: Any,
    treat: Callable[[str], str],
) -> None:
    documents = make()
    with pytest.warns(nr.NearprintWarning, match="1 row left out"):
        result = nr.dedup(
            documents, against=ITEMS, leak_action=action, on_error="skip", max_rejected="100%"
        )
    assert type(result.kept) is type(documents)
    assert rows_of(result.kept) == [
        {"text": text, "n": n} for text, n in zip([OTHER, treat(HOLDER), treat(HOLDER)], KEPT)
    ]
    leaks = result.leaks.to_dicts() if name == "polars lazy" else rows_of(result.leaks)
    done = {"mask": "masked", "cut": "cut"}[action]
    assert [(row["id"], row["action"]) for row in leaks] == [(1, "removed"), (2, done), (4, done)]
    # The input is unchanged.
    assert len(rows_of(documents)) == 5 and rows_of(documents)[2]["text"] == HOLDER
    if not isinstance(documents, polars.LazyFrame) and hasattr(documents, "schema"):
        assert result.kept.schema == documents.schema
    if isinstance(documents, datasets.Dataset):
        assert result.kept.features == documents.features
    if isinstance(documents, pandas.DataFrame):
        assert list(result.kept.index) == [documents.index[n - 1] for n in KEPT]
        assert list(result.kept.dtypes) == list(documents.dtypes)


@pytest.mark.parametrize(
    "column",
    [
        *(
            pyarrow.array(TEXTS).cast(kind)
            for kind in (
                pyarrow.string(),
                pyarrow.large_string(),
                pyarrow.binary(),
                pyarrow.large_binary(),
            )
        ),
        pyarrow.array(TEXTS, type=pyarrow.string_view()),
        pyarrow.array(TEXTS).dictionary_encode(),
        pyarrow.chunked_array([TEXTS[:2], TEXTS[2:]]),
        polars.Series("text", TEXTS),
        polars.Series("text", TEXTS, dtype=polars.Categorical),
        polars.Series("text", TEXTS, dtype=polars.Enum(TEXTS)),
        polars.Series("text", TEXTS).cast(polars.Binary),
        pandas.Series(TEXTS, index=list("abc")),
        pandas.Series(TEXTS, dtype=object),
        pandas.Series(TEXTS, dtype="category"),
        numpy.array(TEXTS),
        numpy.array(TEXTS, dtype=object),
        TEXTS,
        tuple(TEXTS),
        [text.encode() for text in TEXTS],
    ],
    ids=lambda column: (
        f"{type(column).__module__}.{type(column).__name__}."
        f"{getattr(column, 'type', getattr(column, 'dtype', ''))!s:.20}"
    ),
)
def test_passages_are_left_out_of_every_kind_of_column(column: Any) -> None:
    kept = nr.dedup(column, against=ITEMS, leak_action="cut").kept
    assert type(kept) is type(column)
    values = kept.to_pylist() if hasattr(kept, "to_pylist") else list(kept)
    assert [value.decode() if isinstance(value, bytes) else str(value) for value in values] == [
        OTHER,
        cut(HOLDER),
    ]
    if isinstance(column, (pyarrow.Array, pyarrow.ChunkedArray)):
        assert kept.type == column.type


def test_a_dataset_keeps_its_format() -> None:
    dataset = datasets.Dataset(ARROW.slice(0, 3)).with_format(
        "numpy", columns=["n"], output_all_columns=True
    )
    kept = nr.dedup(dataset, against=ITEMS, leak_action="mask").kept
    assert kept.format == dataset.format and kept["text"][:] == [OTHER, masked(HOLDER)]


def test_a_passage_may_reach_over_several_columns() -> None:
    frame = polars.DataFrame(
        {"text": [BEFORE + ITEM[:50], OTHER], "place": [ITEM[50:] + AFTER, NEWS], "id": [7, 8]}
    )
    result = nr.dedup(
        frame, text=["text", "place"], against=[ITEM], against_text_field="text", leak_action="mask"
    )
    assert result.kept["id"].to_list() == [7, 8]
    assert result.kept["text"].to_list() == [BEFORE + "[masked]", OTHER]
    assert result.kept["place"].to_list() == ["[masked]" + AFTER, NEWS]


@pytest.mark.parametrize("action", ["remove", "mask", "cut", "list"])
def test_results_equal_the_command_line_s(tmp_path: Path, action: Any) -> None:
    texts = [
        HOLDER,
        OTHER,
        ITEM,
        AFTER + NEWS + BEFORE + ITEM,
        NEWS.replace("Monday", "Tuesday"),
        ITEM + " " + HOLDER,
        BEFORE,
    ]
    train = [{"id": f"t{n}", "text": text} for n, text in enumerate(texts)]
    test = [{"id": n, "question": text} for n, text in enumerate([ITEM, NEWS, ITEM + "!"])]
    for name, rows in (("train", train), ("test", test)):
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
    out = tmp_path / "out"
    flags = [
        "--against-text-field",
        "question",
        "--leak-action",
        action,
        "--output",
        out,
        "--quiet",
    ]
    command_line("dedup", tmp_path / "train.jsonl", "--against", tmp_path / "test.jsonl", *flags)
    result = nr.dedup(train, against=test, against_text_field="question", leak_action=action)
    leaks = json_lines(out / "leaks.jsonl")
    # Documents in memory lack files.
    assert result.leaks == [{name: row[name] for name in result.leaks[0]} for row in leaks]
    assert len(leaks) >= 6 and {"file", "item_row", "length"} < set(leaks[0])
    assert result.removed == removed_rows(out)
    assert result.kept == json_lines(out / "kept" / "train.jsonl")
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert result.summary["counts"] == summary["counts"]
