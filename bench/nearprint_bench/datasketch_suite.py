"""The tests of the package datasketch, run on nearprint.datasketch, which replaces it.

    PYTHON -m nearprint_bench.datasketch_suite FOLDER [--module nearprint.datasketch.v1]

FOLDER is the folder ``test`` of a checkout of datasketch. It is copied to a temporary folder, where
each import of datasketch becomes one of the module. Tests of what nearprint.datasketch refuses by
name are left out and counted: other sketches and indexes, other storages, GPUs. The environment
needs nearprint, NumPy, SciPy, pytest, redis and mockredispy; the last two are imported by tests.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from pathlib import Path

from .data import folder

MODULES = ["minhash", "lean_minhash", "weighted_minhash", "lsh", "lshforest", "lshensemble"]
"""The modules that are offered; each has a file of tests."""

REFUSED = re.compile(r"redis|cassandra|gpu|always_mode|detect_mode", re.IGNORECASE)
"""Names of tests of a refused storage or device."""


def rewritten(code: str, module: str) -> str:
    """The code of a test with imports of another module."""
    code = re.sub(
        r"^from datasketch import minhash$", f"import {module} as minhash", code, flags=re.MULTILINE
    )
    return re.sub(
        r"^from datasketch(\.\w+)? import", f"from {module} import", code, flags=re.MULTILINE
    )


def run(tests: Path, module: str, python: str) -> tuple[list[tuple[str, str]], int]:
    """The name and the failure, or nothing, of each offered test; the number of the others."""
    with tempfile.TemporaryDirectory() as work:
        copy = Path(work) / "test"
        copy.mkdir()
        names = [f"test_{name}.py" for name in MODULES] + ["test_minhash_gpu.py"]
        for name in [*names, "utils.py", "__init__.py"]:
            code = (tests / name).read_text(encoding="utf-8")
            (copy / name).write_text(rewritten(code, module), encoding="utf-8")
        report = Path(work) / "report.xml"
        command = [python, "-m", "pytest", "-q", "--tb=no", f"--junit-xml={report}"]
        subprocess.run(
            [*command, *(f"test/{name}" for name in names)], cwd=work, stdout=subprocess.DEVNULL
        )
        offered, others = [], 0
        for case in tree.parse(report).iter("testcase"):
            name = f"{case.get('classname', '').removeprefix('test.')}.{case.get('name')}"
            if case.find("skipped") is not None or REFUSED.search(case.get("name", "")):
                others += 1
                continue
            problem = next(
                (case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None),
                None,
            )
            offered.append((name, "" if problem is None else problem.get("message", "failed")))
        return offered, others


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "tests", metavar="FOLDER", type=folder, help="the folder test of datasketch"
    )
    parser.add_argument(
        "--module", default="nearprint.datasketch.v1", help="what replaces datasketch"
    )
    options = parser.parse_args()
    offered, others = run(options.tests, options.module, sys.executable)
    failed = [(name, why) for name, why in offered if why]
    for name, why in failed:
        print(f"FAILED {name}: {why.splitlines()[0]}")
    passed = len(offered) - len(failed)
    print(
        f"{options.module}: {passed} of {len(offered)} tests pass ({passed / len(offered):.1%}); "
        f"{others} of what is refused or skipped are left out"
    )


if __name__ == "__main__":
    main()
