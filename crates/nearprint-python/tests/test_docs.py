"""The examples of the documentation run, and types match the stubs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import nearprint as nr

from conftest import REPOSITORY

MODULES = [
    f"nearprint.{module.name}"
    for module in pkgutil.iter_modules(nr.__path__)
    if not module.name.startswith("_")
]


@pytest.mark.parametrize("name", ["nearprint", *MODULES])
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name), extraglobs={"nr": nr}).failed == 0


def test_examples_of_native_classes_run() -> None:
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    count = 0
    for name in nr.__all__:
        thing = getattr(nr, name)
        own = [thing, *vars(thing).values()] if inspect.isclass(thing) else [thing]
        for part in own:
            doc = getattr(part, "__doc__", None)
            if doc and ">>>" in doc:
                result = runner.run(
                    parser.get_doctest(inspect.cleandoc(doc), {"nr": nr, **vars(nr)}, name, None, 0)
                )
                assert result.failed == 0, name
                count += 1
    assert count >= 10


def test_everything_public_is_documented() -> None:
    for name in nr.__all__:
        thing = getattr(nr, name)
        assert name == "__version__" or inspect.getdoc(thing), name
        if inspect.isclass(thing) and thing.__module__.startswith("nearprint"):
            for part, value in vars(thing).items():
                if not part.startswith("_") and (
                    callable(value) or isinstance(value, (property, staticmethod))
                ):
                    assert inspect.getdoc(value), f"{name}.{part}"


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "README.zh-CN.md",
        "docs/python.md",
        "docs/jaccard.md",
        "crates/nearprint-python/README.md",
    ],
)
def test_examples_of_pages_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = REPOSITORY / page
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_the_tutorial_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPOSITORY)
    runpy.run_path(str(REPOSITORY / "docs" / "tutorial.py"))
    assert capsys.readouterr().out


def test_types_are_checked() -> None:
    package = REPOSITORY / "crates" / "nearprint-python"
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file",
        "pyproject.toml",
        "python/nearprint",
        "tests",
    ]
    done = subprocess.run(command, cwd=package, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_agree_with_the_native_half(tmp_path: Path) -> None:
    # Settings are found by __getattr__, which the stubs list elsewhere.
    allowed = tmp_path / "allowed"
    allowed.write_text("nearprint._nearprint.Config.__getattr__")
    command = [
        sys.executable,
        "-m",
        "mypy.stubtest",
        "nearprint._nearprint",
        "--ignore-missing-stub",
        "--allowlist",
        str(allowed),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_command_line_is_there() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nearprint", "--version"], capture_output=True, text=True
    )
    assert done.stdout == f"nearprint {nr.__version__}\n" and done.returncode == 0
    done = subprocess.run(
        [sys.executable, "-m", "nearprint", "dedup", "absent.jsonl", "--output", "x"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "cannot read absent.jsonl" in done.stderr
