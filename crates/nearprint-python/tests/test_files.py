"""Files as documents, and results as folders."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import datasets
import pandas
import polars
import pyarrow
import pytest

import nearprint as nr

from conftest import IDS, KEPT, NEWS, TEXTS

ROWS = [{"id": id, "text": text} for id, text in zip(IDS, TEXTS)]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def written(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    path.write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
    )
    return path


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """A folder with two files."""
    folder = tmp_path / "crawl"
    folder.mkdir()
    written(folder / "a.jsonl", ROWS[:2])
    written(folder / "b.jsonl", ROWS[2:])
    return folder


def test_a_path_a_folder_a_glob_and_a_list_of_paths_are_files(crawl: Path) -> None:
    inputs = [crawl, str(crawl), f"{crawl}/*.jsonl", [crawl / "a.jsonl", crawl / "b.jsonl"]]
    for documents in inputs:
        result = nr.dedup(documents)
        removed = result.removed
        assert removed.column("id").to_pylist() == [12, 13]
        assert removed.column("keeper").to_pylist() == [10, 11]
        assert removed.column("row").to_pylist() == [1, 2]
        assert [Path(file).name for file in removed.column("file").to_pylist()] == ["b.jsonl"] * 2
        assert removed.column("keeper_row").to_pylist() == [1, 2]
        assert [Path(file).name for file in removed.column("keeper_file").to_pylist()] == [
            "a.jsonl"
        ] * 2
    labels = nr.dedup(crawl).labels
    assert labels.column("id").to_pylist() == IDS
    assert labels.column("is_kept").to_pylist() == [id in KEPT for id in IDS]
    assert labels.column("row").to_pylist() == [1, 2, 1, 2, 3]
    # Strings are texts, and not paths.
    assert nr.dedup([str(crawl), str(crawl)]).kept == [str(crawl)]


def test_ids_of_files_are_integers_only_if_all_are(tmp_path: Path) -> None:
    large = written(tmp_path / "large.jsonl", [{**ROWS[0], "id": 2**63}, *ROWS[1:]])
    assert nr.dedup(large).labels.column("id").to_pylist()[:2] == [str(2**63), "11"]
    unnamed = written(tmp_path / "unnamed.jsonl", [{"text": text} for text in TEXTS])
    assert nr.dedup(unnamed).removed.column("id").to_pylist()[0] == "unnamed.jsonl:3"


def test_files_stay_on_disk(crawl: Path, tmp_path: Path) -> None:
    result = nr.dedup(crawl)
    with pytest.raises(nr.UsageError, match=r"documents: these are files; save\(folder\) copies"):
        result.kept
    with pytest.raises(nr.UsageError, match="labels says what became of each"):
        result.is_kept
    assert repr(result).startswith("<Result: 3 of 5 documents kept; ")
    result.report(tmp_path / "page.html")
    assert "noon" in (tmp_path / "page.html").read_text(encoding="utf-8")
    with pytest.raises(nr.UsageError, match='source_field: no row .* "host"'):
        result.report(tmp_path / "other.html", source_field="host")
    assert not (tmp_path / "other.html").exists()
    with pytest.raises(nr.UsageError, match=r"cannot be pickled, .* write it with save\(folder\)"):
        pickle.dumps(result)
    twice = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(nr.dedup(ROWS)))))
    assert [row["id"] for row in twice.kept] == KEPT
    with pytest.raises(nr.FileError) as missing:
        nr.dedup(crawl / "c.jsonl")
    assert missing.value.file == str(crawl / "c.jsonl")
    with pytest.raises(nr.UsageError, match="standard input"):
        nr.dedup("-")


def test_a_saved_result_of_files_is_the_folder_of_the_command_line(
    crawl: Path, tmp_path: Path
) -> None:
    saved, made = tmp_path / "saved", tmp_path / "made"
    # A file that is passed over, and counted.
    (crawl / "notes.bin").write_bytes(b"\0\1\2")
    with pytest.warns(nr.NearprintWarning, match="notes.bin is not read"):
        result = nr.dedup(crawl, pairs=True)
    assert result.summary["passed_over"] == 1
    assert nr.rethreshold(result, min_similarity=0.9).summary["passed_over"] == 1
    result.save(saved)
    command = [sys.executable, "-m", "nearprint", "dedup", str(crawl), "--pairs", "--quiet"]
    subprocess.run([*command, "--output", str(made)], check=True)
    names = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    assert names == sorted(
        str(path.relative_to(saved)) for path in saved.rglob("*") if path.is_file()
    )
    for name in names:
        if name != "summary.json":
            assert (saved / name).read_bytes() == (made / name).read_bytes(), name
    one, other = (json.loads((folder / "summary.json").read_text()) for folder in (saved, made))
    varying = ("seconds", "peak_memory_bytes")
    assert {name: value for name, value in one.items() if name not in varying} == {
        name: value for name, value in other.items() if name not in varying
    }
    with pytest.raises(nr.UsageError, match="force=True"):
        result.save(saved)
    result.save(saved, force=True)
    # A run over the same folder would read an output inside of it.
    with pytest.raises(nr.UsageError, match="output"):
        result.save(crawl / "clean")
    assert sorted(path.name for path in crawl.iterdir()) == ["a.jsonl", "b.jsonl", "notes.bin"]
    # The folder can be used by the verbs that read one.
    again = [sys.executable, "-m", "nearprint", "rethreshold", str(saved), "--quiet"]
    stricter = tmp_path / "stricter"
    subprocess.run([*again, "--min-similarity", "1", "--output", str(stricter)], check=True)
    assert len(lines(stricter / "removed.jsonl")) == 1
    # A file that has changed since is not copied.
    written(crawl / "a.jsonl", ROWS)
    with pytest.raises(nr.FileError, match="changed after it was first read"):
        result.save(tmp_path / "late")
    assert not (tmp_path / "late").exists()


@pytest.mark.parametrize(
    "documents",
    [
        ROWS,
        tuple(ROWS),
        pandas.DataFrame(ROWS),
        polars.DataFrame(ROWS),
        polars.LazyFrame(ROWS),
        pyarrow.Table.from_pylist(ROWS),
        pyarrow.RecordBatch.from_pylist(ROWS),
    ],
    ids=lambda documents: f"{type(documents).__module__}.{type(documents).__name__}",
)
def test_a_saved_result_of_a_table_has_its_kept_rows(documents: Any, tmp_path: Path) -> None:
    nr.dedup(documents).save(tmp_path / "clean")
    assert [row["id"] for row in lines(tmp_path / "clean" / "removed.jsonl")] == [12, 13]
    if isinstance(documents, (list, tuple)):
        kept = lines(tmp_path / "clean" / "kept" / "documents.jsonl")
    else:
        kept = polars.read_parquet(tmp_path / "clean" / "kept" / "documents.parquet").to_dicts()
    assert kept == [row for row in ROWS if row["id"] in KEPT]


def test_a_saved_result_of_a_column_has_a_field_text(tmp_path: Path) -> None:
    import duckdb
    import numpy

    relation = duckdb.from_arrow(pyarrow.Table.from_pylist(ROWS))
    columns = [TEXTS, polars.Series(TEXTS), pandas.Series(TEXTS), numpy.array(TEXTS), relation]
    for number, column in enumerate(columns):
        nr.dedup(column).save(tmp_path / str(number))
        [path] = (tmp_path / str(number) / "kept").iterdir()
        kept = (
            [row["text"] for row in lines(path)]
            if path.suffix == ".jsonl"
            else polars.read_parquet(path)["text"].to_list()
        )
        assert kept == [TEXTS[0], TEXTS[1], TEXTS[4]]


def test_a_saved_result_of_splits_has_a_file_for_each(tmp_path: Path) -> None:
    splits = datasets.DatasetDict(
        train=datasets.Dataset.from_list(ROWS[:3]), test=datasets.Dataset.from_list(ROWS[3:])
    )
    nr.dedup(splits).save(tmp_path / "clean")
    kept = {path.stem: polars.read_parquet(path) for path in (tmp_path / "clean/kept").iterdir()}
    assert {name: rows["id"].to_list() for name, rows in kept.items()} == {
        "train": [10, 11],
        "test": [14],
    }


@pytest.mark.parametrize("value", [float("nan"), b"\xff", {("a", 1): 2}, "\ud800"])
def test_what_json_cannot_hold_is_named_with_its_row(value: object, tmp_path: Path) -> None:
    result = nr.dedup([ROWS[0], {**ROWS[1], "other": value}])
    with pytest.raises(nr.UsageError, match="kept row 1 cannot be written as JSON"):
        result.save(tmp_path / "clean")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_nothing(tmp_path: Path) -> None:
    class Odd:
        def __str__(self) -> str:
            raise ValueError("odd")

    result = nr.dedup([{"text": NEWS, "other": Odd()}])
    with pytest.raises(ValueError, match="odd"):
        result.save(tmp_path / "clean")
    assert list(tmp_path.iterdir()) == []


def test_another_bound_gives_the_result_of_a_new_run(crawl: Path) -> None:
    for documents in (ROWS, polars.DataFrame(ROWS), crawl):
        loose = nr.dedup(documents, min_similarity=0.6)
        for bound in (0.95, 1.0):
            again = nr.rethreshold(loose, min_similarity=bound)
            fresh = nr.dedup(documents, min_similarity=bound)
            assert pyarrow.table(again._run.labels()) == pyarrow.table(fresh._run.labels())
            assert again.summary["counts"] == fresh.summary["counts"]
            assert again.summary["settings"] == fresh.summary["settings"]
    equal = nr.dedup(ROWS, max_distance="off")
    with pytest.raises(nr.UsageError, match="max_distance: off matches equal texts only"):
        nr.rethreshold(equal, min_similarity=0.9)
    with pytest.raises(nr.UsageError, match="min_similarity: name it, or marks"):
        nr.rethreshold(loose)
    with pytest.raises(nr.UsageError):
        nr.rethreshold(loose, min_similarity=2.0)


def test_marks_change_a_result(tmp_path: Path) -> None:
    result = nr.dedup(ROWS)
    marks = tmp_path / "marks.jsonl"
    marks.write_text('{"left": 11, "right": 13, "verdict": "wrong"}\n', encoding="utf-8")
    again = nr.rethreshold(result, marks=marks)
    assert [row["id"] for row in again.removed] == [12]


def test_tuning_tells_the_removals_at_other_bounds(crawl: Path) -> None:
    for documents in (ROWS, pandas.DataFrame(ROWS), crawl):
        tuning = nr.tune(documents)
        for at in tuning["bounds"]["bounds"]:
            fresh = nr.dedup(ROWS, min_similarity=at["min_similarity"])
            assert at["removed"] == len(fresh.removed)
        assert "config" not in tuning
    tuning = nr.tune(ROWS, distances=True, min_similarity=0.8)
    assert isinstance(tuning["config"], nr.Config) and tuning["config"].min_similarity == 0.8
    assert tuning["similarity"] == 0.8
    with pytest.raises(nr.UsageError, match="tune chooses it"):
        nr.tune(ROWS, max_distance=10)


def test_an_index_is_a_set_of_reference_documents(tmp_path: Path, crawl: Path) -> None:
    with nr.Index.create(tmp_path / "seen") as index:
        index.add(ROWS[:1])
        for documents in (ROWS[1:], pandas.DataFrame(ROWS[1:]), crawl / "b.jsonl"):
            result = nr.dedup(documents, against=index)
            ids = pyarrow.table(result._run.removed()).column("id").to_pylist()
            keepers = pyarrow.table(result._run.removed()).column("keeper").to_pylist()
            assert (ids, keepers) == ([12], [10])
        # Documents are not compared with each other, as with other reference documents.
        assert [row["id"] for row in nr.dedup(ROWS[1:], against=index).kept] == [11, 13, 14]
        with pytest.raises(nr.UsageError, match="0.75 for min_similarity=, not 0.9"):
            nr.dedup(ROWS, against=index, min_similarity=0.9)
        with pytest.raises(nr.UsageError, match="against: an index"):
            nr.rethreshold(nr.dedup(ROWS, against=index), min_similarity=0.9)
    with nr.Index.create(tmp_path / "strict", min_similarity=0.9) as strict:
        strict.add(ROWS[:1])
        found = nr.dedup(ROWS[1:], against=strict, config=strict.config)
        assert [row["keeper"] for row in found.removed] == [10]


def test_files_go_into_an_index_and_ask_it(crawl: Path, tmp_path: Path) -> None:
    index = nr.Index.create(tmp_path / "seen")
    added = index.add(crawl / "a.jsonl")
    assert added.column("id").to_pylist() == [10, 11]
    assert added.column("outcome").to_pylist() == ["new", "new"]
    found = index.query([crawl / "b.jsonl"])
    assert found.column("id").to_pylist() == [12, 13]
    assert found.column("match").to_pylist() == [10, 11]
    told = index.add([crawl / "b.jsonl"], if_new=True)
    assert told.column("duplicate").to_pylist() == [10, 11, None]


def test_statistics_and_passages_of_files(crawl: Path) -> None:
    stats = nr.Stats.build(f"{crawl}/*.jsonl")
    assert stats.documents == 5 and stats.features == nr.Stats.build(TEXTS).features
    shared = nr.passages(crawl, min_length=60)
    assert shared.places.column("id").to_pylist() == [10, 12]
    with pytest.raises(nr.UsageError, match="documents: these are files"):
        shared.documents


def test_an_index_without_a_folder_is_a_temporary_one(tmp_path: Path) -> None:
    index = nr.Index.create(tmp_dir=tmp_path, min_similarity=0.8)
    index.add(ROWS)
    assert index.query(NEWS)[0].id == 10 and Path(index.path).parent == tmp_path
    index.close()
    assert list(tmp_path.iterdir()) == []
    index = nr.Index.create(tmp_dir=tmp_path)
    del index
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(nr.UsageError):
        nr.Index.create(tmp_dir=tmp_path, preset="jaccard")
    assert list(tmp_path.iterdir()) == []
