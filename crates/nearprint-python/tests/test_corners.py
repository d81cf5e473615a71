"""Corner cases, one test each."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest

import nearprint as nr
import nearprint.polars
from nearprint.sklearn import Fingerprinter

from conftest import IDS, KEPT, NEWS, OTHER, TEXTS


def test_a_table_of_the_user_is_not_taken_for_the_result() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE arrow AS SELECT 'wrong' AS text, 0 AS id")
    connection.execute(
        "CREATE TABLE news AS SELECT unnest($1) AS text, unnest($2) AS id", [TEXTS, IDS]
    )
    result = nr.dedup(connection.table("news"))
    assert sorted(result.kept.select("id").fetchall()) == [(id,) for id in KEPT]
    connection.execute("SET python_enable_replacements=false")
    assert len(nr.dedup(connection.table("news")).kept) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_fingerprinter_works_after_a_fork() -> None:
    fingerprinter = nr.Fingerprinter(bits=64)
    expected = fingerprinter.fingerprints(TEXTS).to_hex()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_hex, (fingerprinter,)).get(60) == expected
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, "".join(filter(None, fingerprinter.fingerprints(TEXTS).to_hex())).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 1000).decode() == "".join(filter(None, expected))


def _hex(fingerprinter: nr.Fingerprinter) -> list[str | None]:
    return fingerprinter.fingerprints(TEXTS).to_hex()


def test_what_was_fitted_can_be_loaded_in_another_process(tmp_path: Path) -> None:
    fitted = Fingerprinter(preset="paper").fit(TEXTS)
    (tmp_path / "model").write_bytes(pickle.dumps(fitted))
    (tmp_path / "config").write_bytes(
        pickle.dumps(nr.Config(features="words", stats=nr.Stats.build(TEXTS)))
    )
    expected = fitted.transform(TEXTS).sum()
    del fitted
    script = f"""
import pickle, nearprint as nr
model = pickle.load(open({str(tmp_path / "model")!r}, "rb"))
print(model.transform({TEXTS!r}).sum(), model.stats_.documents)
config = pickle.load(open({str(tmp_path / "config")!r}, "rb"))
print(nr.Fingerprinter(config=config).fingerprint("one") is not None)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == [str(expected), "5", "True"], done.stderr


def test_statistics_that_are_given_beside_a_config_win(tmp_path: Path) -> None:
    config = nr.Config(features="words", stats=nr.Stats.build(TEXTS))
    nr.Stats.build(TEXTS[:1]).save(tmp_path / "own.stats")
    for stats in (
        tmp_path / "own.stats",
        nr.Stats.load(tmp_path / "own.stats"),
        nr.Stats.build(TEXTS[:1]),
    ):
        own = nr.Fingerprinter(config=config.replace(stats=stats))
        again = pickle.loads(pickle.dumps(own))
        assert (
            again.fingerprint(NEWS)
            == own.fingerprint(NEWS)
            != nr.Fingerprinter(config=config).fingerprint(NEWS)
        )


def test_a_table_of_one_column_is_that_column_and_of_more_is_refused() -> None:
    expected = nr.Fingerprinter(bits=64).fingerprints(TEXTS).to_hex()
    for table in (
        polars.DataFrame({"body": TEXTS}),
        pandas.DataFrame({"body": TEXTS}),
        pyarrow.table({"body": TEXTS}),
    ):
        assert nr.Fingerprinter(bits=64).fingerprints(table).to_hex() == expected
    with pytest.raises(nr.UsageError, match="table of 2 columns"):
        nr.Fingerprinter().fingerprints(pyarrow.table({"text": TEXTS, "id": IDS}))


@pytest.mark.parametrize(
    "column",
    [
        numpy.array(TEXTS),
        pandas.Series(TEXTS, dtype=object),
        polars.LazyFrame({"text": TEXTS}),
        polars.Series(TEXTS).cast(polars.Categorical),
        tuple(TEXTS),
    ],
    ids=lambda column: type(column).__name__,
)
def test_fingerprints_and_statistics_take_what_dedup_takes(column: Any) -> None:
    assert (
        nr.Fingerprinter(bits=64).fingerprints(column).to_hex()
        == nr.Fingerprinter(bits=64).fingerprints(TEXTS).to_hex()
    )
    assert nr.Stats.build(column).documents == 5


def test_objects_that_are_no_text_are_named_by_row() -> None:
    for values, problem in ((["a", 3], "wrong_type"), (["a", "\ud800"], "not_utf8")):
        with pytest.raises(nr.RejectedError) as caught:
            nr.Fingerprinter().fingerprints(pandas.Series(values, dtype=object))
        assert (caught.value.row, caught.value.problem) == (1, problem)


@pytest.mark.parametrize(
    "empty", [[], (), pandas.DataFrame({"left": [], "right": []}, dtype=object)], ids=str
)
def test_an_empty_answer_is_one(empty: Any) -> None:
    pairs = [{"left": 1, "right": 2}]
    assert nr.evaluate(empty, pairs).recall.value == 0
    assert nr.evaluate(pairs, empty).precision.value == 0
    assert nr.evaluate(tuple(pairs), pandas.DataFrame(pairs).astype(object)).f1.value == 1
    with pytest.raises(nr.UsageError, match="items that are not dicts"):
        nr.evaluate(["a"], pairs)


@pytest.mark.parametrize(
    "values",
    [
        pyarrow.array([None, "a"]),
        pyarrow.array([None, "a"], pyarrow.large_string()),
        pyarrow.array([None, b"a"]),
    ],
    ids=lambda values: str(values.type),
)
def test_nulls_of_a_dictionary_are_nulls(values: pyarrow.Array) -> None:
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1, None]), values)
    with pytest.raises(nr.RejectedError) as caught:
        nr.dedup(pyarrow.table({"text": column}))
    assert (caught.value.row, caught.value.problem) == (0, "null_field")
    assert [each is None for each in nr.Fingerprinter().fingerprints(column)] == [True, False, True]
    bad = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0]), pyarrow.array([b"\xff"]))
    with pytest.raises(nr.RejectedError, match="not UTF-8"):
        nr.Fingerprinter().fingerprints(bad)


def test_columns_without_a_value_have_a_type_all_the_same() -> None:
    for empty in (
        polars.DataFrame({"text": []}),
        pandas.DataFrame({"text": []}),
        pandas.DataFrame({"text": [], "id": []}),
    ):
        assert len(nr.dedup(empty).kept) == 0
    with pytest.raises(nr.RejectedError, match="null"):
        nr.dedup(polars.DataFrame({"text": [None, None]}))
    fingerprint = polars.col("text").nearprint.fingerprint()  # type: ignore[attr-defined]
    column = polars.DataFrame({"text": [None]}).select(fingerprint)
    assert column["text"].to_list() == [None]


def test_names_stay_what_they_are_in_messages(tmp_path: Path) -> None:
    with pytest.raises(nr.UsageError, match="a--b.stats"):
        nr.Config(features="words", stats=tmp_path / "a--b.stats")  # only named
        nr.dedup(["a"], features="words", stats=tmp_path / "a--b.stats")
    with pytest.raises(
        nr.RejectedError, match="there are: c--d, --x; name the right one with text=$"
    ):
        nr.dedup(pyarrow.table({"c--d": ["a"], "--x": ["b"]}))
    assert "--" not in " ".join(
        nr.evaluate([{"left": 1, "right": 2}], [{"left": 1, "right": 2}]).notes
    )


def test_a_config_read_back_works_as_before() -> None:
    config = nr.Config.from_toml(nr.Config().to_toml())
    assert nr.dedup(TEXTS, config=config).kept == nr.dedup(TEXTS).kept


def test_columns_that_are_no_fingerprints_are_refused() -> None:
    numbers = numpy.array([[1], [2]], dtype=numpy.uint64)
    for column, bits in (
        (numbers, 48),
        (numbers, 100),
        (numbers, 128),
        (numbers, 32),
        (numbers.astype("int64"), None),
    ):
        with pytest.raises(nr.UsageError):
            nr.Fingerprints(column, bits=bits)
    with pytest.raises(nr.UsageError):
        nr.Fingerprints(nr.Fingerprints(numbers), bits=128)
    assert nr.Fingerprints(pyarrow.array([], pyarrow.binary(8))).bits == 64
    assert nr.Fingerprints(numbers.astype(">u8")).to_hex() == nr.Fingerprints(numbers).to_hex()
    for value, bits in (("+f+f+f+f", None), (-1, 64), (1 << 64, 64)):
        with pytest.raises(ValueError):
            nr.Fingerprint(value, bits)
    number = nr.Fingerprint(numpy.uint64(15), bits=64)  # type: ignore[arg-type]
    assert number == nr.Fingerprint("000000000000000f")
    with pytest.raises(ValueError):
        numpy.asarray(nr.Fingerprints(numbers), copy=False)


def test_ids_of_two_sides_are_not_mixed_in_an_evaluation() -> None:
    truth = [{"left": 0, "right": 1}]
    with pytest.raises(nr.UsageError, match="share ids"):
        nr.evaluate(nr.dedup([NEWS], against=[NEWS]), truth)
    against = polars.DataFrame({"text": [NEWS], "id": ["test"]})
    assert (
        nr.evaluate(nr.dedup([NEWS], against=against), [{"left": "test", "right": 0}]).f1.value == 1
    )


def test_ids_are_all_there() -> None:
    for documents in (
        pyarrow.table({"text": TEXTS, "id": [1, 2, None, 4, 5]}),
        [{"text": NEWS, "id": 1}, {"text": OTHER}],
    ):
        with pytest.raises(nr.RejectedError) as caught:
            nr.dedup(documents)
        assert caught.value.field == "id" and caught.value.row in (1, 2)


def test_a_missing_column_is_an_error_also_where_rows_are_left_out() -> None:
    for documents in (
        [{"body": "a"}],
        pandas.DataFrame({"body": ["a"]}),
        polars.DataFrame({"body": ["a"]}),
        pyarrow.table({"body": ["a"]}),
    ):
        with pytest.raises(nr.RejectedError):
            nr.dedup(documents, on_error="skip")


def test_the_columns_that_there_are_are_told() -> None:
    for table in (pandas.DataFrame, polars.DataFrame, pyarrow.table):
        with pytest.raises(nr.RejectedError, match="there are: body, id"):
            nr.dedup(table({"body": ["a"], "id": [1]}))
        with pytest.raises(nr.RejectedError, match="there are: text, uid"):
            nr.dedup(table({"text": ["a"], "uid": [1]}), id="uidx")


def test_an_index_of_pandas_is_no_column() -> None:
    frame = pandas.DataFrame({"text": TEXTS}, index=pandas.Index([0.5, 0.5, 1, 1, 1], name="id"))
    assert list(nr.dedup(frame).removed["id"]) == [2, 3]
    repeated = pandas.DataFrame([["a", "b"]], columns=["text", "text"])
    with pytest.raises(nr.UsageError, match="several columns"):
        nr.dedup(repeated)
    with pytest.raises(nr.RejectedError, match="several columns"):
        nr.dedup(pyarrow.table([["a"], ["b"]], names=["text", "text"]))


def test_a_batch_of_views_may_lose_all_its_rows() -> None:
    batch = pyarrow.record_batch({"text": pyarrow.array([NEWS], pyarrow.string_view())})
    assert nr.dedup(batch, against=[NEWS]).kept.num_rows == 0


def test_lists_hold_dates_bytes_and_numbers() -> None:
    from datetime import date

    rows = [{"text": NEWS, "date": date(2026, 1, 1)}, {"text": NEWS, "date": date(2026, 2, 1)}]
    assert nr.dedup(rows, keep="newest:date").kept == rows[1:]
    mixed = [
        {"text": NEWS, "date": "Fri, 05 Jan 2024 10:00:00 GMT"},
        {"text": NEWS, "date": "2024年10月1日"},
        {"text": NEWS, "date": "soon"},
    ]
    with pytest.warns(nr.NearprintWarning, match='"soon" .*, row 2.*keep="highest:date"'):
        result = nr.dedup(mixed, keep="newest:date")
    assert result.kept == mixed[1:2] and result.summary["undated"]["documents"] == 1
    mixed[2] = {"text": NEWS}
    with pytest.warns(nr.NearprintWarning, match="1 document has no date"):
        result = nr.dedup(mixed, keep="oldest:date")
    assert result.kept == mixed[:1] and result.summary["undated"]["missing"] == 1
    scores = [{"text": NEWS, "score": 1}, {"text": NEWS, "score": 1.5}]
    assert nr.dedup(scores, keep="highest:score").kept == scores[1:]
    assert nr.dedup([NEWS.encode(), NEWS.encode()]).kept == [NEWS.encode()]
    with pytest.raises(nr.UsageError, match="do not fit one 64-bit type"):
        nr.dedup([{"text": "a", "id": -1}, {"text": "b", "id": 1 << 63}])


def test_exceptions_travel() -> None:
    for cause in (
        lambda: nr.Stats.load("absent.stats"),
        lambda: nr.dedup(["a", None]),
        lambda: nr.Config(bits="x"),  # type: ignore[arg-type]
    ):
        with pytest.raises(nr.Error) as caught:
            cause()
        again = pickle.loads(pickle.dumps(caught.value))
        assert (
            type(again) is type(caught.value)
            and str(again) == str(caught.value)
            and vars(again) == vars(caught.value)
        )
    with pytest.raises(nr.FileError) as missing:
        nr.Stats.load("absent.stats")
    assert missing.value.filename == "absent.stats" and missing.value.strerror
    assert str(missing.value) == missing.value.args[0] and "cannot read absent.stats" in str(
        missing.value
    )


def test_columns_whose_names_are_no_strings_are_not_taken_for_others() -> None:
    with pytest.raises(nr.RejectedError, match='no column "1"'):
        nr.dedup(pandas.DataFrame({0: IDS, 1: TEXTS}), text="1")


def test_the_transformer_takes_generators_and_nothing() -> None:
    assert Fingerprinter(bits=64).fit_transform(text for text in TEXTS).shape == (5, 64)
    assert Fingerprinter(bits=32).fit(TEXTS).transform([]).shape == (0, 32)
    with pytest.raises(nr.UsageError, match="list of dicts"):
        Fingerprinter().fit_transform([{"body": "a"}])  # type: ignore[list-item]


def test_ids_of_small_dictionaries_are_put_together() -> None:
    def part(number: int) -> pyarrow.Table:
        ids = pyarrow.array([f"{number}-{row}" for row in range(100)])
        ids = ids.dictionary_encode().cast(pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))
        return pyarrow.table({"text": [f"{NEWS} {number}"] * 100, "id": ids})

    table = pyarrow.concat_tables([part(number) for number in range(3)])
    assert nr.dedup(table).removed.num_rows >= 297


def test_a_column_that_comes_once_is_read_once() -> None:
    class Once:
        def __init__(self, column: pyarrow.ChunkedArray) -> None:
            self.column: pyarrow.ChunkedArray | None = column

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            assert self.column is not None, "read before"
            column, self.column = self.column, None
            return column.__arrow_c_stream__(requested_schema)

    result = nr.dedup(Once(pyarrow.chunked_array([TEXTS])))
    assert pyarrow.chunked_array(result.kept).to_pylist() == [TEXTS[0], TEXTS[1], TEXTS[4]]


def test_labels_may_be_true_or_false() -> None:
    truth = [{"left": 1, "right": 2, "label": True}, {"left": 3, "right": 4, "label": False}]
    assert nr.evaluate([{"left": 1, "right": 2}], truth, judged_only=True).f1.value == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process")
def test_statistics_stay_when_a_forked_process_ends() -> None:
    stats = nr.Stats.build(TEXTS)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_forget, (stats,)).get(60)
    child = os.fork()
    if child == 0:
        del stats
        os._exit(0)
    os.waitpid(child, 0)
    assert stats.top(1).num_rows == 1


def _forget(stats: nr.Stats) -> bool:
    return stats.documents == 5


def test_places_of_fingerprints_are_numbers_or_booleans() -> None:
    column = nr.Fingerprinter().fingerprints(TEXTS)
    for places in (
        [2, 0],
        numpy.array([2, 0]),
        numpy.array([2, 0], dtype="uint8"),
        [-len(TEXTS) + 2, 0],
    ):
        assert list(column[places]) == [column[2], column[0]]
    mask = [place == 1 for place in range(len(TEXTS))]
    assert list(column[mask]) == list(column[numpy.array(mask)]) == [column[1]]
    assert len(column[[]]) == 0
    outside: list[Any] = [[len(TEXTS)], [True]]
    for places in outside:
        with pytest.raises(IndexError):
            column[places]
    for wrong in (["a"], "a", [0.5]):
        with pytest.raises(TypeError, match="number"):
            column[wrong]  # type: ignore[index]


def test_an_id_is_a_string_or_a_number() -> None:
    rows = [{"id": ["a", 1], "text": "one"}, {"id": ["a", 2], "text": "two"}]
    with pytest.raises(nr.RejectedError, match="is a list with int in it, not a string, a number"):
        nr.dedup(rows)
    with pytest.raises(nr.RejectedError, match='"id" is null; give every row an id, .*id="off"'):
        nr.dedup([{"id": "a", "text": "one"}, {"id": None, "text": "two"}])
