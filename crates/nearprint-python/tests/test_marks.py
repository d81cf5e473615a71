"""Marks of a person on pairs, which later runs obey."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import nearprint as nr

FERRY = (
    "The ferry to the island sails again from Friday, with new engines, green railings and a cook "
    "who bakes buns before the first crossing at dawn."
)
ROWS = [
    {"id": "a", "text": FERRY},
    {"id": "b", "text": FERRY.replace("buns", "rolls")},
    {
        "id": "c",
        "text": "The library lends spades, shears and a cider press for two weeks, and one "
        "who returns them muddy must sharpen ten pencils as a fine.",
    },
]


def saved(folder: Path, *marks: tuple[str, str, str]) -> Path:
    """A file of marks."""
    path = folder / "marks.jsonl"
    rows = ({"left": left, "right": right, "verdict": verdict} for left, right, verdict in marks)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def removed(result: nr.Result[Any]) -> list[tuple[str, str, str]]:
    return [(row["id"], row["keeper"], row["reason"]) for row in result.removed]


def test_marks_merge_and_keep_apart(tmp_path: Path) -> None:
    assert [row[2] for row in removed(nr.dedup(ROWS))] == ["near"]
    marks = saved(tmp_path, ("a", "b", "wrong"), ("a", "c", "right"), ("b", "c", "later"))
    result = nr.dedup(ROWS, marks=marks, keep="first")
    assert removed(result) == [("c", "a", "marked")]
    assert result.summary["counts"]["marked"] == 1
    assert result.summary["marks"]["used"] == 2
    assert "1 as marked" in repr(result)


def test_marks_that_are_not_used_are_told(tmp_path: Path) -> None:
    with pytest.warns(nr.NearprintWarning, match="nobody is not in this run"):
        nr.dedup(ROWS, marks=saved(tmp_path, ("a", "nobody", "right")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nr.dedup(ROWS, marks=saved(tmp_path, ("a", "c", "wrong")))


def test_contradicting_marks_are_refused(tmp_path: Path) -> None:
    marks = saved(tmp_path, ("a", "b", "wrong"), ("b", "a", "right"))
    with pytest.raises(nr.IncompatibleError, match="row 2.*row 1"):
        nr.dedup(ROWS, marks=marks)
    with pytest.raises(nr.UsageError, match="gone"):
        nr.dedup(ROWS, marks=tmp_path / "gone.jsonl")


def test_an_index_obeys_marks_and_tells_those_that_it_does_not_use(tmp_path: Path) -> None:
    index = nr.Index.create(tmp_path / "index")
    index.add(ROWS[:1])
    marks = saved(tmp_path, ("a", "b", "wrong"), ("c", "nobody", "right"))
    with pytest.warns(nr.NearprintWarning, match="nobody is not in this run"):
        answers = index.add(ROWS[1:], if_new=True, marks=marks)
    new = {answer["id"]: answer["new"] for answer in answers}
    assert new["b"], answers
