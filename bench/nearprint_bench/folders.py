"""The folders of the experiments."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
WORK = REPOSITORY / "bench" / "work"  # results kept between runs; may be deleted
