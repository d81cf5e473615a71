"""Checks the wheel of a folder that fits this Python: what is in it, its platform tag, and that it works when installed.

    python3 packaging/check_wheel.py dist                          # needs auditwheel for the tag on Linux; else it says so
    python3 packaging/check_wheel.py dist --tag manylinux_2_17     # fails if the wheel needs a newer glibc
    python3 packaging/check_wheel.py dist --largest 12             # fails above 12 MB

The wheel is installed in a new environment. Its dependencies come from where pip is set up to take them.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

# Each of them within the wheel, below the folder of its metadata or of the package.
PARTS = [
    ".dist-info/licenses/LICENSE-MIT",
    ".dist-info/licenses/LICENSE-APACHE",
    ".dist-info/licenses/THIRD-PARTY.txt",
    ".dist-info/entry_points.txt",
    "nearprint/py.typed",
    "nearprint/_nearprint.pyi",
]

# The installed package finds one copy among three documents.
TRIAL = """
import importlib.metadata, sys
import nearprint as nr

assert nr.__version__ == importlib.metadata.version("nearprint")
ferry = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft"
rows = [
    {"id": "a", "text": ferry},
    {"id": "b", "text": "Half of the bakeries in the old town now close before noon, says the guild of bakers"},
    {"id": "c", "text": ferry.replace(" after", ", after") + "."},
    {"id": "d", "text": "葫芦娃葫芦娃，一根藤上七朵花"},
    {"id": "e", "text": "葫蘆娃葫蘆娃，一根藤上七朵花"},
]
result = nr.dedup(rows)
assert [row["id"] for row in result.kept] == ["a", "b", "d"], result.kept
# Free-threaded Python stays so.
assert not getattr(sys, "_is_gil_enabled", lambda: False)() or "t" not in getattr(sys, "abiflags", "")
print("dedup:", [(row["id"], row["keeper"], row["reason"]) for row in result.removed])
"""


def run(*command: object) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(
        [str(part) for part in command],
        check=False,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=UTF8,
    )
    if done.returncode != 0:
        sys.exit(
            f"{' '.join(str(part) for part in command)[:200]}: exit code {done.returncode}\n{done.stdout}"
        )
    return done.stdout.strip()


UTF8 = {**os.environ, "PYTHONUTF8": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def check_parts(wheel: Path) -> None:
    """The wheel has the licenses, the command and the types."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        lacking = [part for part in PARTS if not any(name.endswith(part) for name in names)]
        if lacking:
            sys.exit(f"{wheel.name} lacks {', '.join(lacking)}")
        for info in archive.infolist():
            print(f"  {info.file_size:>11,} {info.compress_size:>11,} {info.filename}")


def check_tag(wheel: Path, tag: str | None) -> None:
    """auditwheel finds that the wheel runs where its tag says."""
    if tag and tag not in wheel.name:
        sys.exit(f"{wheel.name} has no tag {tag}")
    if not sys.platform.startswith("linux"):
        return
    if importlib.util.find_spec("auditwheel") is None:
        print("auditwheel is not installed; the libraries that the wheel needs are NOT CHECKED")
        return
    shown = run(sys.executable, "-m", "auditwheel", "show", wheel)
    print(shown)
    # The name of the wheel has every tag that auditwheel may answer with.
    wanted = wheel.stem.rsplit("-", 1)[1].split(".")
    if not any(f'"{name}"' in shown for name in wanted):
        sys.exit(f"auditwheel finds other tags than {wanted}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tag", help="part of the platform tag that the wheel must have")
    parser.add_argument("--largest", type=float, metavar="MB", help="largest size of the wheel")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        environment, chosen = Path(place, "environment"), Path(place, "chosen")
        venv.create(environment, with_pip=True)
        scripts = environment / ("Scripts" if os.name == "nt" else "bin")
        python = scripts / "python"
        # pip knows which wheel fits this Python.
        run(python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-index",
            "--only-binary", ":all:", "--find-links", options.folder, "--dest", chosen, "nearprint")  # fmt: skip
        (wheel,) = chosen.iterdir()
        size = wheel.stat().st_size / 1e6
        print(f"{wheel.name}: {size:.1f} MB")
        if options.largest and size > options.largest:
            sys.exit(f"{size:.1f} MB are more than {options.largest}")
        check_parts(wheel)
        check_tag(wheel, options.tag)
        run(python, "-m", "pip", "install", "--quiet", wheel)
        versions = {
            run(scripts / "nearprint", "--version"),
            run(python, "-m", "nearprint", "--version"),
        }
        if versions != {f"nearprint {wheel.name.split('-')[1]}"}:
            sys.exit(f"the command says {versions}")
        # Elsewhere, so that no folder here is taken for the package.
        os.chdir(place)
        print(run(python, "-c", TRIAL))
        os.chdir("/")
    print("passed")


if __name__ == "__main__":
    main()
