"""The check of a repository's documents, which the GitHub action and the hook for pre-commit run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import REPOSITORY

PAGE = (REPOSITORY / "docs/limits.md").read_text(encoding="utf-8")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not there")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def check(repository: Path, *arguments: str, **variables: str) -> tuple[int, list[str]]:
    """The exit code and the lines of a check of all files there."""
    subprocess.run(["git", "add", "--all"], cwd=repository, check=True)
    scripts = Path(sys.executable).parent
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    done = subprocess.run(
        [sys.executable, REPOSITORY / "packaging/near_duplicates.py", *arguments],
        cwd=repository,
        env={**kept, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", **variables},
        check=False,
        capture_output=True,
        encoding="utf-8",
    )
    return done.returncode, done.stdout.splitlines()


def test_an_edited_page_is_named(repository: Path) -> None:
    repository.joinpath("a.md").write_text(PAGE, encoding="utf-8")
    repository.joinpath("docs").mkdir()
    repository.joinpath("docs/b, c.md").write_text(PAGE + "One more sentence.\n", encoding="utf-8")
    repository.joinpath("d.md").write_text("Another page, about bakeries that close before noon.\n")
    code, lines = check(repository)
    assert code == 1
    assert len(lines) == 2 and lines[1] == "1 of 3 documents duplicate another"
    assert lines[0].startswith("a.md duplicates docs/b, c.md (near, similarity 0.9")
    # A larger bound, another kind of failure, and a pattern that leaves one of them out.
    assert check(repository, "--min-similarity", "1")[0] == 0
    assert check(repository, "--fail-on", "exact")[0] == 0
    assert check(repository, "--", "*.md\n:!docs\n") == (0, ["0 of 2 documents duplicate another"])


def test_a_runner_of_github_gets_its_commands(repository: Path) -> None:
    repository.joinpath("a.md").write_text(PAGE, encoding="utf-8")
    repository.joinpath("b, c.md").write_text(PAGE, encoding="utf-8")
    output = repository / ".git/output"
    code, lines = check(repository, GITHUB_ACTIONS="true", GITHUB_OUTPUT=str(output))
    assert code == 1 and output.read_text() == "count=1\n"
    assert lines[0] == (
        "::error file=b%2C c.md,title=Near-duplicate::duplicates a.md (exact, similarity 1.000)"
    )
    lines = check(repository, "--fail-on", "never", GITHUB_ACTIONS="true")[1]
    assert lines[0].startswith("::warning ")


def test_links_and_repositories_without_text_have_no_duplicates(repository: Path) -> None:
    assert check(repository) == (0, ["0 of 0 documents duplicate another"])
    repository.joinpath("a.md").write_text("")
    repository.joinpath("b.md").symlink_to("a.md")
    assert check(repository) == (0, ["0 of 1 documents duplicate another"])


def test_a_wrong_setting_is_no_duplicate(repository: Path) -> None:
    repository.joinpath("a.md").write_text(PAGE, encoding="utf-8")
    assert check(repository, "--min-similarity", "2") == (2, [])
