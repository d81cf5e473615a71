"""The functions over batches work under Ray and Dask, as the page on Spark shows."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from conftest import REPOSITORY, TEXTS

from nearprint import Config
from nearprint._nearprint import Worker

ray = pytest.importorskip("ray", reason="SKIPPED: ray is absent")
pytest.importorskip("dask.dataframe", reason="SKIPPED: dask is absent")

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning")


def test_the_examples_of_ray_and_dask_make_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = pyarrow.table({"text": TEXTS})
    pyarrow.parquet.write_table(texts, "news.parquet")
    expected = pyarrow.table(Worker(Config()).prints(texts)).column("hash").to_pylist()
    page = (REPOSITORY / "docs/spark.md").read_text(encoding="utf-8").partition("## Ray and Dask")[2]
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    names: dict[str, Any] = {}
    # Two workers: one that reads, one that makes prints.
    monkeypatch.setitem(os.environ, "RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        exec(compile(blocks[0], "docs/spark.md", "exec"), names)
        assert sorted(row["hash"] for row in names["prints"].take_all()) == sorted(expected)
    finally:
        ray.shutdown()
    exec(compile(blocks[1], "docs/spark.md", "exec"), names)
    assert sorted(names["prints"].compute()["hash"]) == sorted(expected)
