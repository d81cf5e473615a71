"""What the installed package carries beside its modules."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import nearprint as nr

FILES = importlib.metadata.files("nearprint") or []


def test_it_carries_the_licenses_also_of_the_dictionaries() -> None:
    texts = {file.name: file.read_text() for file in FILES if "licenses" in file.parts}
    assert set(texts) == {"LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"}
    assert "Sun Junyi" in texts["THIRD-PARTY.txt"] and "OpenCC" in texts["THIRD-PARTY.txt"]
    metadata = importlib.metadata.metadata("nearprint")
    assert metadata["License-Expression"] == "MIT OR Apache-2.0"
    assert set(metadata.get_all("License-File") or []) == set(texts)


def test_it_carries_types_and_the_command() -> None:
    assert {"py.typed", "_nearprint.pyi"} <= {file.name for file in FILES}
    command = Path(sys.executable).parent / "nearprint"
    shown = subprocess.run([command, "--version"], check=True, capture_output=True, text=True)
    assert shown.stdout == f"nearprint {nr.__version__}\n"
    assert importlib.metadata.version("nearprint") == nr.__version__
