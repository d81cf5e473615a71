"""Functions over batches: rows may come in any order. The examples of docs/spark.md for Ray and Dask
remove duplicates."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest
from conftest import IDS, KEPT, REPOSITORY, TEXTS

from nearprint import Config
from nearprint._nearprint import Worker
from nearprint.spark.batches import Gathered

pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning"
)


def of_page(number: int) -> str:
    """An example of the page."""
    page = (
        (REPOSITORY / "docs/spark.md").read_text(encoding="utf-8").partition("## Ray and Dask")[2]
    )
    blocks: list[str] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    return blocks[number]


@pytest.fixture
def news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of the examples."""
    monkeypatch.chdir(tmp_path)
    pyarrow.parquet.write_table(pyarrow.table({"id": IDS, "text": TEXTS}), "news.parquet")


def test_the_example_of_ray_removes_duplicates(news: None, monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray", reason="SKIPPED: ray is absent")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    names: dict[str, Any] = {}
    # One function reads, the other one filters.
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        exec(compile(of_page(0), "docs/spark.md", "exec"), names)
        assert sorted(row["id"] for row in names["kept"].take_all()) == KEPT
    finally:
        ray.shutdown()


def test_the_example_of_dask_removes_duplicates(news: None) -> None:
    pytest.importorskip("dask.dataframe", reason="SKIPPED: dask is absent")
    names: dict[str, Any] = {}
    exec(compile(of_page(1), "docs/spark.md", "exec"), names)
    assert sorted(names["kept"].compute()["id"]) == KEPT


def test_the_order_of_rows_does_not_show() -> None:
    words = [f"{one}{other}" for one in "abcdefghij" for other in "klmnopqrst"]
    form = (
        "the council of the old town met on monday to talk about the new bridge over the river "
        "and the fee for it"
    )
    texts = [f"{form}, said {word} of the {word} party at noon" for word in words]
    short = [f"the train from {word} is late once more" for word in words]
    worker = Worker(Config())
    records = pyarrow.table(worker.records(pyarrow.table({"text": texts + short})))
    near = records.filter(pyarrow.compute.is_valid(records["fingerprint"])).select(
        ["hash", "fingerprint", "sketch"]
    )
    few = records.filter(records["short"]).select(["hash", "short", "letters", "figures"])
    assert near.num_rows == few.num_rows == 100

    def turned(rows: pyarrow.Table) -> pyarrow.Table:
        return rows.take(list(reversed(range(rows.num_rows))))

    functions: list[tuple[pyarrow.Table, Callable[..., Any]]] = [
        (near, lambda *groups: worker.candidates(100, None, *groups)),
        (near, lambda *groups: worker.hubs(100, *groups)),
        (few, lambda *groups: worker.short_candidates(False, *groups)),
    ]
    for rows, function in functions:
        for groups in [[rows], [rows.slice(0, 40), rows.slice(40)]]:
            found = pyarrow.table(function(*groups))
            assert found.num_rows > 90 and found == pyarrow.table(function(*map(turned, groups)))


def test_many_rows_are_gathered_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path},/nowhere")
    rows = pyarrow.RecordBatch.from_pydict({"text": [f"text {number}" for number in range(90)]})
    for most, files in [(100, 1), (None, 0)]:
        gathered = Gathered(most)
        for _ in range(2):
            assert gathered.taken() is None
            for start in range(0, 90, 20):
                gathered.add(rows.slice(start, 20))
            assert len(list(tmp_path.iterdir())) == files
            assert gathered.taken() == pyarrow.Table.from_batches([rows])
            assert not list(tmp_path.iterdir())
