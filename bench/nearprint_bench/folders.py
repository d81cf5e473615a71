"""Where things lie."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
WORK = REPOSITORY / "bench" / "work"  # what is kept between runs; may be deleted
