"""The types of settings: type checkers refuse what the library refuses, and take what it takes."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

import nearprint as nr
from nearprint.settings import Settings

#: Calls that type checkers must refuse, by the error of mypy.
WRONG = [
    ('nr.dedup(TEXTS, min_similarity="0.9")', "arg-type"),
    ("nr.dedup(TEXTS, min_similarty=0.9)", "call-arg"),
    ("nr.dedup(TEXTS, threshold=0.9)", "call-arg"),
    ("nr.dedup(TEXTS, num_perm=128)", "call-arg"),
    ("nr.rethreshold(nr.dedup(TEXTS), threshold=0.9)", "arg-type"),
    ('nr.dedup(TEXTS, text_column="body")', "call-arg"),
    ('nr.dedup(TEXTS, verify="jacard")', "arg-type"),
    ('nr.dedup(TEXTS, preset="strickt")', "arg-type"),
    ("nr.dedup(TEXTS, bits=100)", "arg-type"),
    ("nr.dedup(TEXTS, same=3)", "arg-type"),
    ("nr.dedup(TEXTS, keep=True)", "arg-type"),
    ('nr.dedup(TEXTS, on_error="ignore")', "arg-type"),
    ('nr.dedup(TEXTS, max_distance="none")', "arg-type"),
    ("nr.dedup(TEXTS, 0.9)", "arg-type"),
    ('nr.dedup(TEXTS, cluster="stars")', "arg-type"),
    ('nr.dedup(TEXTS, pairs="yes")', "arg-type"),
    ('nr.dedup(TEXTS, threads="all")', "arg-type"),
    ('nr.passages(TEXTS, max_lost="half")', "arg-type"),
    ('nr.passages(TEXTS, action="delete")', "arg-type"),
    ('nr.Config(features="chars")', "arg-type"),
    ("nr.Config().replace(bit=64)", "call-arg"),
    ('nr.Fingerprinter(weights="idf")', "arg-type"),
    ("nr.Stats.build(TEXTS, n_gram=2)", "call-arg"),
    ('nr.segment("text", segmenter="jieba")', "arg-type"),
    ('nr.compare("a", "b", shingle=2.5)', "arg-type"),
    ('nr.Index.create("x", store_field="title")', "call-arg"),
    ('nr.Index.open("x").query("text", min_similarity=[0.9])', "call-overload"),
    ("nr.evaluate([], [], tmp_dir=1)", "arg-type"),
]

#: Calls that they must take.
RIGHT = """
import pathlib
from typing import Any
import numpy
nr.dedup(TEXTS, min_similarity=1, same="lang", differ=["source"], memory="4G", threads=4)
nr.dedup(TEXTS, min_similarity=numpy.float64(0.5), min_features=numpy.int64(8), keep=None)
nr.dedup(TEXTS, max_distance="off", recall_sample="off", just_missed=0.5, tmp_dir=pathlib.Path("/tmp"))
nr.Config(bits=64, stop_words=["zh", "en"], normalize=["case", "space"], weight_cap="none")
settings: dict[str, Any] = {"min_similarity": 0.9}
nr.dedup(TEXTS, **settings)
own: nr.Settings = {"min_similarity": 0.9, "verify": "jaccard"}
nr.dedup(TEXTS, **own)
"""


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """A program with wrong calls, the first in its third line, and right ones."""
    lines = ["import nearprint as nr", "TEXTS = ['a']", *(call for call, _ in WRONG)]
    file = tmp_path / "calls.py"
    file.write_text("\n".join(lines) + "\n" + RIGHT, encoding="utf-8")
    return file


def test_wrong_calls_are_refused_by_mypy(calls: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(calls)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=calls.parent)
    found = {
        int(line.split(":")[1]): line for line in done.stdout.splitlines() if ": error:" in line
    }
    for number, (call, code) in enumerate(WRONG, start=3):
        assert f"[{code}]" in found.pop(number, ""), call
    assert found == {}


def test_wrong_calls_are_refused_by_pyright(calls: Path) -> None:
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    done = subprocess.run([*command, str(calls)], capture_output=True, text=True, cwd=calls.parent)
    found = json.loads(done.stdout)["generalDiagnostics"]
    wrong = {each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"}
    assert wrong == {number for number, _ in enumerate(WRONG, start=3)}


def test_literals_are_the_words_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    # Type checkers alone import it there.
    monkeypatch.setattr(nr.settings, "Stats", nr.Stats, raising=False)
    kinds = typing.get_type_hints(Settings)
    assert set(kinds) == {name for name in dir(nr.Config()) if not hasattr(nr.Config, name)}
    counted = 0
    for name, kind in kinds.items():
        literals = [part for part in (kind, *get_args(kind)) if get_origin(part) is Literal]
        words = [word for part in literals for word in get_args(part)]
        features = {"features": "words"} if _is_about_words(name) else {}
        for word in words:
            given: dict[str, Any] = {**features, name: word}
            nr.Config(**given)
        if not literals or any(part in (str, float) for part in get_args(kind)):
            continue
        wrong: dict[str, Any] = {**features, name: "no such word"}
        with pytest.raises(nr.UsageError) as caught:
            nr.Config(**wrong)
        said = str(caught.value)
        assert name in said and "expected" not in said and "u32" not in said, said
        if " one of " in said:
            told = said.split(" one of ")[1].split(", ")
            assert set(told) - {"edit"} <= set(words), (name, told)
            counted += 1
    assert counted > 8


def _is_about_words(name: str) -> bool:
    given: dict[str, Any] = {name: getattr(nr.Config(features="words"), name)}
    try:
        nr.Config(**given)
    except nr.UsageError as error:
        return "applies to words only" in str(error)
    return False


def test_signatures_name_every_setting() -> None:
    for function in (nr.dedup, nr.passages, nr.compare, nr.evaluate, nr.Index.create):
        parameters = inspect.signature(function).parameters
        assert {"min_similarity", "recall", "on_error"} <= parameters.keys()
        assert "text_field" not in parameters or "text" not in parameters
        assert all(each.kind is not each.VAR_KEYWORD for each in parameters.values())
    assert nr.dedup.__doc__ is not None


@pytest.mark.parametrize(
    ("keyword", "answer"),
    [
        ("threshold", 'use min_similarity=; with verify="jaccard" it bounds a Jaccard similarity'),
        ("num_perm", "there are no permutations"),
        ("text_column", "use text="),
        ("n_jobs", "use threads="),
        ("seed", "there is no seed"),
    ],
)
def test_names_of_other_tools_get_an_answer(keyword: str, answer: str) -> None:
    wrong: dict[str, Any] = {keyword: 1}
    with pytest.raises(nr.UsageError) as caught:
        nr.dedup(["a"], **wrong)
    assert str(caught.value).startswith(f"{keyword}: is not a setting")
    assert answer in str(caught.value) and caught.value.setting == keyword


def test_every_switch_takes_off() -> None:
    switches: list[dict[str, Any]] = [
        {"recall_sample": "off"},
        {"just_missed": "off"},
        {"max_distance": "off"},
        {"min_leak_length": "off"},
        {"id": "off"},
    ]
    for settings in switches:
        assert nr.dedup(["one text", "another"], **settings).kept == ["one text", "another"]
