"""Pairs below the bound, and the removals at other bounds."""

import pytest

import nearprint as nr


def texts() -> list[str]:
    words = [f"word{place * place % 89}" for place in range(60)]
    return [" ".join(words[n:]) for n in range(0, 28, 2)]


def test_pairs_just_below_the_bound_are_a_table() -> None:
    documents = [{"id": f"d{n}", "text": text} for n, text in enumerate(texts())]
    result = nr.dedup(documents, min_similarity=0.9, just_missed=0.5)
    rows = result.just_missed
    assert list(rows[0]) == ["left", "right", "distance", "similarity", "left_row", "right_row"]
    assert len(rows) > 5 and all(0.5 <= row["similarity"] < 0.9 for row in rows)
    assert all(
        row["left"] == f"d{row['left_row']}" and row["right"] == f"d{row['right_row']}"
        for row in rows
    )
    bounds = result.summary["bounds"]
    assert not bounds["estimated"]
    for bound, removed in bounds["removed"][::10]:
        assert nr.dedup(documents, min_similarity=bound).summary["counts"]["removed"] == removed
    few = nr.dedup(documents, min_similarity=0.9)
    known = {tuple(pair) for pair in bounds["removed"]}
    assert (
        not few.summary["bounds"]["estimated"]
        and {tuple(pair) for pair in few.summary["bounds"]["removed"]} < known
    )
    assert few.just_missed and all(row in rows for row in few.just_missed)
    assert nr.dedup(documents, just_missed="off").just_missed == []
    with pytest.raises(nr.UsageError, match="just_missed"):
        nr.dedup(documents, just_missed=0.9)


def test_marks_propose_a_bound() -> None:
    documents = [{"id": n, "text": text} for n, text in enumerate(texts())]
    result = nr.dedup(documents, min_similarity=0.9, just_missed=0.3, pairs=True)
    pairs = list(result.pairs) + list(result.just_missed)
    marks = [
        {
            "left": row["left"],
            "right": row["right"],
            "similarity": row["similarity"],
            "verdict": "right" if row["similarity"] >= 0.7 else "wrong",
        }
        for row in pairs
    ]
    proposal = nr.evaluate(result, marks).proposal
    assert proposal is not None and len(marks) >= 50
    assert proposal["min_similarity"] == min(
        mark["similarity"] for mark in marks if mark["verdict"] == "right"
    )
    few = nr.evaluate(result, marks[:49]).proposal
    assert few is not None and few["missing"] >= 1
    assert nr.evaluate(result, [{"left": 0, "right": 1}]).proposal is None
