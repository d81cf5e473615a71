"""Two texts compared; answers evaluated."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import nearprint as nr

from conftest import IDS, NEWS, OTHER, TEXTS, command_line


def test_a_comparison_is_the_command_line_s() -> None:
    left, right = "能力比学历重要性高", "学历比能力重要性高"
    every: list[dict[str, Any]] = [{}, {"preset": "paper"}]
    for settings in every:
        flags = [part for name, value in settings.items() for part in (f"--{name}", value)]
        shown: dict[str, Any] = json.loads(
            command_line("compare", "--text", left, "--text", right, "--json", *flags)
        )
        comparison = nr.compare(left, right, **settings)
        assert comparison.left.fingerprint.hex() == shown["left"]["fingerprint"]
        for name in (
            "distance",
            "bit_edit_distance",
            "bits",
            "estimated_cosine",
            "cosine",
            "coverage",
            "jaccard",
            "containment",
            "similarity",
            "verdict",
        ):
            assert getattr(comparison, name) == shown[name]
        assert [vars(row) for row in comparison.differing] == shown["differing"]
        assert [vars(row) for row in comparison.left.heaviest] == shown["left"]["heaviest"]
        assert comparison.right.votes == shown["right"]["votes"]
        for side, text in (("left", left), ("right", right)):
            pieces: list[nr.Piece] = getattr(comparison.view, side)
            assert [
                {key: value for key, value in vars(piece).items() if value is not None}
                for piece in pieces
            ] == shown["view"][side]
            assert "".join(piece.text for piece in pieces) == text
        assert comparison.lost == shown["lost"]
        assert [vote > 0 for vote in comparison.left.votes] == [
            bit == "1" for bit in f"{int(comparison.left.fingerprint):0{comparison.bits}b}"
        ]


def test_a_comparison_shows_itself() -> None:
    comparison = nr.compare("<b>one</b> two", "<b>one</b> three", preset="simhash")
    assert repr(comparison).startswith("<Comparison: ")
    # Similarities are rounded down to three decimals, so one below a bound is shown below it.
    shown = int(comparison.coverage * 1000 + 1e-7) / 1000
    assert f" coverage {shown:.3f}, Jaccard " in repr(comparison)
    html = comparison._repr_html_()
    assert html.startswith(f"<p>{comparison.why[0]}</p><table>") and "<b>" not in html
    assert "three</mark>" in html and "three</mark>" in comparison.view._repr_html_()


FOUND = [{"left": 1, "right": 2}, {"left": 3, "right": 4}, {"left": 5, "right": 6}]
TRUTH = [
    {"id": 1, "cluster": "a"},
    {"id": 2, "cluster": "a"},
    {"id": 3, "cluster": "b"},
    {"id": 4, "cluster": "b"},
    {"id": 5, "cluster": None},
    {"id": 6, "cluster": None},
]


@pytest.mark.parametrize(
    "as_type",
    [list, pandas.DataFrame, polars.DataFrame, pyarrow.Table.from_pylist],
    ids=["list", "pandas", "polars", "pyarrow"],
)
def test_figures_are_the_command_line_s(as_type: Any, tmp_path: Path) -> None:
    paths = []
    for name, rows in (("found", FOUND), ("truth", TRUTH)):
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    shown = json.loads(command_line("evaluate", *paths, "--json"))
    for evaluation in (
        nr.evaluate(as_type(FOUND), as_type(TRUTH)),
        nr.evaluate(paths[0], as_type(TRUTH)),
        nr.evaluate(str(paths[0]), paths[1]),
    ):
        assert {name: vars(figure) for name, figure in evaluation.measures.items()} == shown[
            "measures"
        ]
        assert evaluation.counts == shown["counts"]
    assert evaluation.f1.value == evaluation.measures["f1"].value
    assert [(case.left, case.right) for case in evaluation.false_alarms] == [(5, 6)]
    assert repr(evaluation) == "<Evaluation: precision 0.6667, recall 1.0000, f1 0.8000>"
    assert evaluation._repr_html_().startswith("<table>")
    with pytest.raises(AttributeError):
        evaluation.f2


def test_files_of_pairs_are_read_as_the_command_line_reads_them(tmp_path: Path) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in FOUND).encode()
    table = b"left,right\n1,2\n3,4\n5,6\n"
    for name, content in {
        "a.jsonl.bz2": bz2.compress(lines),
        "a.jsonl.xz": lzma.compress(lines),
        "gzip-inside.jsonl": gzip.compress(lines),
        "gzip-inside.csv": gzip.compress(table),
        "returns.csv": table.replace(b"\n", b"\r"),
    }.items():
        (tmp_path / name).write_bytes(content)
        for found, truth in ((tmp_path / name, FOUND), (FOUND, tmp_path / name)):
            assert nr.evaluate(found, truth).f1.value == 1, name
    (tmp_path / "a.jsonl.lz4").write_bytes(b"\x04\x22\x4d\x18")
    with pytest.raises(nr.IncompatibleError, match="this is lz4 data: unpack it first"):
        nr.evaluate(tmp_path / "a.jsonl.lz4", FOUND)
    (tmp_path / "empty.jsonl").write_bytes(b"")
    assert nr.evaluate(tmp_path / "empty.jsonl", FOUND).recall.value == 0


def test_a_result_is_an_answer_and_documents_are_compared() -> None:
    documents = polars.DataFrame({"text": TEXTS, "id": IDS})
    truth = polars.DataFrame({"left": [10, 11, 10], "right": [12, 13, 14]})
    evaluation = nr.evaluate(nr.dedup(documents), truth, documents=documents)
    assert (evaluation.precision.value, round(evaluation.recall.value or 0, 4)) == (1.0, 0.6667)
    assert [(case.left, case.right) for case in evaluation.misses] == [(10, 14)]
    left, right = evaluation.misses[0].left_text or "", evaluation.misses[0].right_text or ""
    assert "[" in left and left != right
    assert evaluation.report["documents"]["in_documents"] == 5


def test_labels_and_other_names_of_columns() -> None:
    truth = pandas.DataFrame({"a": [1, 3], "b": [2, 4], "same": [1, 0]})
    evaluation = nr.evaluate(
        FOUND[:2], truth, left_field="a", right_field="b", label_field="same", judged_only=True
    )
    assert evaluation.precision.value == 0.5


def test_what_is_no_answer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(nr.IncompatibleError, match="neither of pairs"):
        nr.evaluate([{"x": 1}], TRUTH)
    with pytest.raises(nr.FileError):
        nr.evaluate(tmp_path / "absent.csv", TRUTH)
    with pytest.raises(nr.UsageError):
        nr.evaluate(3, TRUTH)
    with pytest.raises(nr.UsageError):
        nr.evaluate(pyarrow.array([1]), TRUTH)
    with pytest.raises(nr.UsageError) as caught:
        nr.evaluate(FOUND, TRUTH, bootstrap=10_000_000)
    assert caught.value.setting == "bootstrap"
    with pytest.raises(nr.RejectedError):
        nr.evaluate([{"left": 1, "right": None}], TRUTH)
    with pytest.warns(nr.NearprintWarning, match="left out"):
        nr.evaluate(
            [{"left": 1, "right": None}, *FOUND], TRUTH, on_error="skip", max_rejected="100%"
        )
    assert OTHER
