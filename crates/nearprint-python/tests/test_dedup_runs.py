"""Runs: against another set, compared with the command line, with progress, interrupted, and with
unusable input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import nearprint as nr

from conftest import NEWS, OTHER, TEXTS, command_line, json_lines, removed_rows


def test_against_leaves_out_what_is_in_the_other_set_and_nothing_else() -> None:
    train = pandas.DataFrame(
        {"text": [OTHER, OTHER, NEWS + "!", "短文", "something else"], "id": [0, 1, 2, 3, 4]}
    )
    test = polars.DataFrame({"text": [NEWS, "短文"], "id": ["a", "b"]})
    result = nr.dedup(train, against=test)
    assert list(result.kept["id"]) == [0, 1, 4]
    assert [
        tuple(row) for row in result.removed[["id", "keeper", "reason"]].itertuples(index=False)
    ] == [
        (2, "a", "near"),
        (3, "b", "exact"),
    ]
    assert [list(members) for members in result.clusters["members"]] == [[2], [3]]
    assert list(result.clusters["keeper"]) == ["a", "b"] and list(result.clusters["size"]) == [2, 2]
    assert sorted(zip(result.pairs["left"], result.pairs["right"])) == [("a", 2), ("b", 3)]
    counts = result.summary["counts"]
    assert (counts["read"], counts["kept"], counts["removed"], counts["against"]) == (5, 3, 2, 2)
    assert counts["against_found"] == 2
    found = "2 of 2 reference documents are in the input documents; 2 of 5 documents have them, 2 removed"
    assert found in result._repr_html_()


def test_against_takes_ids_of_both_sides_as_they_are() -> None:
    result = nr.dedup([OTHER, NEWS], against=[NEWS, OTHER + "?"])
    assert result.kept == []
    assert [(row["id"], row["keeper"]) for row in result.removed] == [(0, 1), (1, 0)]


def test_the_share_that_stands_in_the_keeper_is_told() -> None:
    notice = (
        "{} said its board declared a regular quarterly dividend of {} cts per share, payable on "
        "{} to the shareholders who are of "
        "record by the close of business in the head office, and that it expects no change in "
        "the year."
    )
    fillings = [
        ("Boreal Mills", 7, "May 2"),
        ("Delta Hotels", 18, "June 30"),
        ("Umbra Foods", 44, "July 12"),
        ("Acme Tools", 24, "March 3"),
    ]
    texts = [notice.format(*filling) for filling in fillings]
    table = pyarrow.table(
        nr.dedup(
            pyarrow.table(
                {"text": [*texts, texts[3].replace("regular ", "") + " Reuters", texts[3]]}
            )
        ).removed
    )
    assert table.schema.field("share").type == pyarrow.float64()
    shares, similarities, lost = (
        table[name].to_pylist() for name in ["share", "similarity", "lost"]
    )
    # In a family of notices only a tenth may be lost, although a quarter may differ.
    assert (
        shares[1] is None
        and abs(similarities[0] - (1.003 - 2.5 * lost[0])) < 1e-5
        and similarities[0] < shares[0]
    )


@pytest.mark.parametrize(
    ("name", "text", "settings"),
    [
        ("en_minhash_articles", "text", {}),
        ("zh_news", "text", {"min_similarity": 0.7, "keep": "longest"}),
        (
            "en_spdx_licenses",
            "text",
            {
                "features": "words",
                "weights": "entropy",
                "bits": 128,
                "verify": "jaccard",
                "cluster": "components",
            },
        ),
        ("zh_short_pairs", "text_a", {"normalize": "nfkc,case,space"}),
    ],
)
def test_results_equal_the_command_line_s_row_for_row(
    data: Path, tmp_path: Path, name: str, text: str, settings: dict[str, Any]
) -> None:
    source = data / f"{name}.jsonl.zst"
    flags = [
        part
        for setting, value in settings.items()
        for part in (f"--{setting.replace('_', '-')}", value)
    ]
    command_line(
        "dedup",
        source,
        "--output",
        tmp_path / "out",
        "--text-field",
        text,
        "--pairs",
        "--quiet",
        *flags,
    )
    lines = _decompressed(source)
    rows = [json.loads(line) for line in lines.splitlines()]
    has_ids = "id" in rows[0]
    frame = polars.DataFrame(
        {
            "text": [row[text] for row in rows],
            "id": [
                str(row["id"]) if has_ids else f"{name}.jsonl.zst:{n + 1}"
                for n, row in enumerate(rows)
            ],
        }
    )
    result = nr.dedup(frame, **settings)

    def as_strings(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        ids = ("id", "keeper", "left", "right")
        return [
            {key: str(value) if key in ids else value for key, value in row.items()} for row in rows
        ]

    assert result.removed.to_dicts() == as_strings(removed_rows(tmp_path / "out"))
    assert result.pairs.to_dicts() == as_strings(json_lines(tmp_path / "out" / "pairs.jsonl"))
    clusters = [
        {**row, "members": [str(id) for id in row["members"]]}
        for row in json_lines(tmp_path / "out" / "clusters.jsonl")
    ]
    own_clusters = result.clusters.drop("keeper_row", "rows")
    assert own_clusters.to_dicts() == as_strings(clusters)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    same = ("fingerprint", "max_distance", "complete_distance", "recall", "plan")
    assert {key: result.summary[key] for key in same} == {key: summary[key] for key in same}
    counts = {**summary["counts"]}
    own = {**nr.dedup(frame, pairs=True, **settings).summary["counts"]}
    assert own == counts
    kept = [
        json.loads(line)
        for line in _decompressed(next((tmp_path / "out" / "kept").iterdir())).splitlines()
    ]
    assert result.kept["text"].to_list() == [row[text] for row in kept]


def _decompressed(path: Path) -> str:
    import zstandard

    with open(path, "rb") as file:
        return zstandard.ZstdDecompressor().stream_reader(file).read().decode("utf-8")


def unrelated(count: int) -> list[str]:
    """Texts with hardly a word in common."""
    return [
        " ".join(f"word{(n * 7919 + place * place * 104_729) % 50_021}" for place in range(40))
        for n in range(count)
    ]


def test_progress_is_told_by_stage_in_the_calling_thread() -> None:
    import threading

    told: list[tuple[str, int, int | None]] = []
    threads = set()

    def progress(stage: str, done: int, total: int | None) -> None:
        threads.add(threading.get_ident())
        told.append((stage, done, total))

    nr.dedup(unrelated(3000), progress=progress)
    assert told and threads == {threading.get_ident()}
    stages = [
        "read",
        "statistics",
        "estimate",
        "fingerprint",
        "join",
        "verify",
        "recall",
        "cluster",
        "write",
    ]
    order = [stages.index(stage) for stage, _, _ in told]
    assert order == sorted(order)
    assert all(total is None or 0 <= done <= total for _, done, total in told)


def test_an_exception_of_progress_ends_the_run_and_is_raised() -> None:
    def progress(stage: str, done: int, total: int | None) -> None:
        raise KeyError(stage)

    with pytest.raises(KeyError):
        nr.dedup([f"{n} {NEWS} {n}" for n in range(2000)], progress=progress)


def test_a_bar_is_shown_and_goes_away(capsys: pytest.CaptureFixture[str]) -> None:
    assert nr.dedup(unrelated(8000), progress=True).summary["counts"]["read"] == 8000
    assert " documents" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="signals of another kind")
def test_ctrl_c_ends_a_run() -> None:
    script = """
        import time, random, nearprint as nr
        words = ["".join(random.choices("abcdefghijklmnop", k=6)) for _ in range(2000)]
        texts = [" ".join(random.choices(words, k=2000)) for _ in range(6000)]
        print("ready", flush=True)
        try:
            nr.dedup(texts)
            print("finished")
        except KeyboardInterrupt:
            print("interrupted")
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.4)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"


def test_other_threads_go_on_while_a_run_does() -> None:
    import threading

    ticks = 0
    over = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not over.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    texts = unrelated(8000)
    before = ticks
    nr.dedup(texts, threads=1)
    after = ticks
    over.set()
    thread.join()
    # With the lock held, it would have been at most one at the beginning and one at the end.
    assert after - before > 5


BAD: list[tuple[str, Any, dict[str, Any], dict[str, Any]]] = [
    (
        "null",
        pyarrow.table({"text": ["a", None]}),
        {},
        {"row": 1, "field": "text", "problem": "null_field"},
    ),
    ("None", ["a", "b", None], {}, {"row": 2, "field": "text", "problem": "null_field"}),
    (
        "NaN",
        pandas.DataFrame({"text": ["a", float("nan")]}, dtype=object),
        {},
        {"row": 1, "problem": "null_field"},
    ),
    (
        "no such column",
        pyarrow.table({"body": ["a"]}),
        {},
        {"row": None, "field": "text", "problem": "missing_column"},
    ),
    ("no such column of dicts", [{"body": "a"}], {}, {"field": "text"}),
    (
        "no such id",
        polars.DataFrame({"text": ["a"]}),
        {"id": "url"},
        {"field": "url", "problem": "missing_column"},
    ),
    (
        "numbers",
        polars.DataFrame({"text": [1, 2]}),
        {},
        {"row": None, "field": "text", "problem": "wrong_type"},
    ),
    ("a number among texts", ["a", 3], {}, {"row": 1, "field": "text", "problem": "wrong_type"}),
    ("numbers of a list", [1, 2], {}, {"field": "text", "problem": "wrong_type"}),
    ("a lone surrogate", ["a", "b\ud800"], {}, {"row": 1, "problem": "not_utf8"}),
    (
        "bytes that are no text",
        pyarrow.table({"text": [b"a", b"\xff"]}),
        {},
        {"row": 1, "problem": "not_utf8"},
    ),
    (
        "an id twice",
        polars.DataFrame({"text": ["a", "b"], "id": [7, 7]}),
        {},
        {"row": 1, "problem": "duplicate_id"},
    ),
    (
        "ids that are lists",
        polars.DataFrame({"text": ["a"], "id": [[1]]}),
        {},
        {"field": "id", "problem": "wrong_type"},
    ),
    ("too long", ["a" * 11], {"max_document_bytes": 10}, {"row": 0, "problem": "too_long"}),
]


@pytest.mark.parametrize(
    ("documents", "settings", "details"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_bad_rows_are_named(
    documents: Any, settings: dict[str, Any], details: dict[str, Any]
) -> None:
    with pytest.raises(nr.RejectedError) as caught:
        nr.dedup(documents, **settings)
    found = {name: getattr(caught.value, name) for name in details}
    assert found == details, str(caught.value)
    assert caught.value.file == "documents" and isinstance(caught.value, (nr.Error, ValueError))


def test_bad_rows_can_be_left_out() -> None:
    table = pyarrow.table({"text": [NEWS, None, NEWS, OTHER]})
    with pytest.warns(nr.NearprintWarning, match=r"^1 row left out: see Result\.rejected$"):
        result = nr.dedup(table, on_error="skip", max_rejected="25%")
    assert result.kept["text"].to_pylist() == [NEWS, OTHER]
    rejected = result.rejected.to_pylist()
    assert [(row["file"], row["row"], row["field"], row["problem"]) for row in rejected] == [
        ("documents", 1, "text", "null_field")
    ]
    assert "give it a text" in rejected[0]["message"]
    with pytest.warns(nr.NearprintWarning):
        kept = nr.dedup(["a", "b\udfff", "c"], on_error="skip", max_rejected=1).kept
    assert kept == ["a", "c"]


def test_more_bad_rows_than_allowed_are_an_error() -> None:
    rows = ["a"] * 8 + [None]
    for most in (None, 0, "11.1111%"):
        with pytest.raises(
            nr.RejectedError, match=r'accept the loss with max_rejected="100%"; the first problem'
        ) as caught:
            nr.dedup(rows, on_error="skip", max_rejected=most)
        assert (caught.value.row, caught.value.problem) == (8, "null_field")
    for most in (1, "100%", "11.1112%"):
        with pytest.warns(nr.NearprintWarning, match="1 row left out"):
            nr.dedup(rows, on_error="skip", max_rejected=most)
    with pytest.raises(nr.UsageError, match="max_rejected: 0.1 is not a number of rows") as usage:
        nr.dedup(rows, max_rejected=0.1)  # type: ignore[arg-type]
    assert usage.value.setting == "max_rejected"


@pytest.mark.parametrize(
    ("settings", "setting"),
    [
        ({"min_similarity": 2}, "min_similarity"),
        ({"bits": 100}, "bits"),
        ({"no_such_setting": 1}, None),
        ({"min_similarity": "high"}, None),
        ({"preset": "none"}, "preset"),
        ({"threads": object()}, "threads"),
        ({"stats": "absent.stats"}, "stats"),
    ],
)
def test_settings_that_cannot_be_carried_out_are_refused(
    settings: dict[str, Any], setting: str | None
) -> None:
    with pytest.raises(nr.UsageError) as caught:
        nr.dedup(["a"], **settings)
    assert setting is None or caught.value.setting == setting
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("documents", [3, None, {"text": ["a"]}, {"a", "b"}])
def test_what_can_be_no_documents_is_refused(documents: Any) -> None:
    with pytest.raises(
        nr.UsageError, match="(is not supported; give|is no table; put a row in) a "
    ):
        nr.dedup(documents)


def test_nothing_depends_on_threads_or_parts() -> None:
    texts = [f"{NEWS} {n // 3} {OTHER[n // 3 % 40 :]}" for n in range(500)]
    table = pyarrow.table({"text": texts})
    parts = pyarrow.concat_tables([table.slice(0, 7), table.slice(7, 400), table.slice(407)])
    one, other = nr.dedup(table, threads=1), nr.dedup(parts, threads=2)
    assert (
        one.removed.equals(other.removed)
        and one.clusters.equals(other.clusters)
        and one.pairs.equals(other.pairs)
    )


def test_results_show_themselves() -> None:
    result = nr.dedup(TEXTS)
    assert (
        repr(result)
        == "<Result: 3 of 5 documents kept; 0 removed as exact, 2 as near, 0 as contained, 0 as "
        "short copies; 2 clusters>"
    )
    assert (
        "3 of 5 documents kept" in result._repr_html_()
        and "<table><caption>nearprint</caption>" in result._repr_html_()
    )


def test_a_report_is_written(tmp_path: Path) -> None:
    result = nr.dedup(pandas.DataFrame({"text": TEXTS}))
    result.report(tmp_path / "news.html")
    html = (tmp_path / "news.html").read_text(encoding="utf-8")
    assert html.startswith("<!DOCTYPE html>") and '"name":"news"' in html
    assert OTHER[:40] in html
    with pytest.raises(nr.UsageError, match="news.html exists; .* with force=True"):
        result.report(tmp_path / "news.html")
    result.report(str(tmp_path / "news.html"), title="the news", force=True)
    assert '"name":"the news"' in (tmp_path / "news.html").read_text(encoding="utf-8")
    folders: list[Path | str] = [tmp_path, ".", ""]
    for folder in folders:
        with pytest.raises(nr.UsageError, match="is a folder; name a file"):
            result.report(folder, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["news.html"]
