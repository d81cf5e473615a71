"""Corpus statistics."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import polars
import pyarrow
import pytest

import nearprint as nr

from conftest import TEXTS, command_line, json_lines


def test_they_are_those_of_the_command_line(tmp_path: Path) -> None:
    texts, stats = tmp_path / "texts.jsonl", tmp_path / "texts.stats"
    texts.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS), encoding="utf-8")
    command_line("stats", texts, "--output", stats, "--quiet")
    built = nr.Stats.build(polars.Series(TEXTS))
    built.save(tmp_path / "own.stats")
    assert (tmp_path / "own.stats").read_bytes() == stats.read_bytes()
    with pytest.raises(nr.UsageError, match="own.stats exists; .* with force=True") as caught:
        built.save(tmp_path / "own.stats")
    assert caught.value.setting == "path"
    built.save(tmp_path / "own.stats", force=True)
    loaded = nr.Stats.load(stats)
    assert (loaded.documents, loaded.features, loaded.description) == (
        5,
        built.features,
        built.description,
    )
    shown = [
        json.loads(line)
        for line in command_line(
            "stats", "show", stats, "--top", 4, "--by", "frequency", "--json"
        ).splitlines()
    ]
    assert pyarrow.table(built.top(4, by="frequency")).to_pylist() == shown
    assert repr(built) == f"<Stats: 5 documents, {built.features} features>"
    command_line(
        "dedup",
        texts,
        "--features",
        "words",
        "--stats",
        stats,
        "--output",
        tmp_path / "out",
        "--quiet",
    )
    removed = nr.dedup([{"text": text} for text in TEXTS], features="words", stats=built).removed
    assert [row["distance"] for row in removed] == [
        row["distance"] for row in json_lines(tmp_path / "out" / "removed.jsonl")
    ]


def test_fingerprints_are_weighed_with_them() -> None:
    stats = nr.Stats.build(TEXTS)
    fingerprinter = nr.Fingerprinter(features="words", stats=stats)
    del stats
    assert fingerprinter.config.features == "words"
    assert fingerprinter.fingerprint(TEXTS[0]) != nr.Fingerprinter().fingerprint(TEXTS[0])
    config = nr.Config(features="words", stats=nr.Stats.build(TEXTS))
    assert nr.Fingerprinter(config=config).fingerprints(TEXTS)[0] == fingerprinter.fingerprint(
        TEXTS[0]
    )


def test_two_add_up_and_travel() -> None:
    one, other = nr.Stats.build(TEXTS[:2]), nr.Stats.build(TEXTS[2:])
    merged, whole = one.merge(other), nr.Stats.build(TEXTS)
    assert (merged.documents, merged.features) == (whole.documents, whole.features)
    assert pyarrow.table(merged.top(50)).equals(pyarrow.table(whole.top(50)))
    assert pyarrow.table(pickle.loads(pickle.dumps(whole)).top(50)).equals(
        pyarrow.table(whole.top(50))
    )


def test_other_settings_and_other_files_are_refused(tmp_path: Path) -> None:
    stats = nr.Stats.build(TEXTS)
    with pytest.raises(nr.IncompatibleError, match="other settings"):
        nr.dedup(TEXTS, features="words", stats=stats, normalize="none")
    (tmp_path / "no.stats").write_text("nothing of the kind")
    with pytest.raises(nr.IncompatibleError) as caught:
        nr.Stats.load(tmp_path / "no.stats")
    assert caught.value.file == str(tmp_path / "no.stats")
    with pytest.raises(nr.FileError) as missing:
        nr.Stats.load(tmp_path / "absent.stats")
    assert missing.value.errno == 2 and isinstance(missing.value, OSError)
    with pytest.raises(nr.FileError):
        stats.save(tmp_path / "absent" / "x.stats")
    with pytest.raises(nr.RejectedError):
        nr.Stats.build(["a", None])
    with pytest.raises(nr.UsageError):
        stats.top(by="size")
