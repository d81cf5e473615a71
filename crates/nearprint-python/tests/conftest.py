"""Fixtures and helpers of the tests."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
DATA = REPOSITORY.parent / "shared" / "data"

NEWS = (
    "The ferry to the island returns on Monday after eleven weeks of repairs to its cracked "
    "propeller shaft"
)
OTHER = (
    "Half of the bakeries in the old town now close before noon, says the guild, because nobody "
    "wants to work at night"
)

#: Two copies of one text, another text, and its copy: as the first document, third, second and
#: fourth.
TEXTS = [
    NEWS,
    OTHER,
    NEWS.upper() + "!",
    OTHER.replace("noon", "six"),
    "葫芦娃葫芦娃，一根藤上七朵花",
]
IDS = [10, 11, 12, 13, 14]
KEPT = [10, 11, 14]


CHROMIUM = next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None
)
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no Chromium; install the package chromium"
)

#: Flags that keep the browser from network requests of its own.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

#: A script that must stay text.
SCRIPT = (
    "<script>window.hit = 1</script><img src=x onerror='window.hit = 2'></script><!-- {data} --> "
)


def command_line(*arguments: object, code: int = 0) -> str:
    """Runs ``python -m nearprint``, which ends with this exit code, and returns its output."""
    command = [sys.executable, "-m", "nearprint", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == code, done.stderr
    return done.stdout


def json_lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def removed_rows(folder: Path) -> list[dict[str, Any]]:
    """The rows of ``removed.jsonl`` as of documents in memory: without files, and with places that
    are counted from 0."""
    of_files = {"file", "row", "keeper_file", "keeper_row"}
    rows = json_lines(folder / "removed.jsonl")
    assert all(of_files < set(row) for row in rows)
    return [
        {
            **{name: value for name, value in row.items() if name not in of_files},
            "row": row["row"] - 1,
            "keeper_row": row["keeper_row"] - 1,
        }
        for row in rows
    ]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A browser for pages."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora."""
    if not DATA.is_dir():
        pytest.skip(f"SKIPPED: ../shared is absent: no {DATA}")
    return DATA
