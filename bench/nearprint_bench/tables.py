"""Rows of results -> CSV, means over the seeds, and cells of tables."""

import csv
import math
from pathlib import Path

from .intervals import interval

NOT_KEYS = ("seed",)


def write_csv(path: Path, rows: list[dict]) -> None:
    """Writes one line for each row, with numbers of four decimals."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {
                    name: shown(value, 4) if isinstance(value, float) else value
                    for name, value in row.items()
                }
            )


def summarize(rows: list[dict], keys: list[str]) -> list[dict]:
    """A row for each combination of keys and measure: mean, low and high over the seeds."""
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    measures = [name for name in rows[0] if name not in keys and name not in NOT_KEYS]
    summary = []
    for values, members in groups.items():
        for measure in measures:
            mean, low, high = interval([member[measure] for member in members])
            summary.append(
                {
                    **dict(zip(keys, values)),
                    "measure": measure,
                    "mean": mean,
                    "low": low,
                    "high": high,
                }
            )
    return summary


class Summary:
    """The rows of `summarize`, by their keys and measure."""

    def __init__(self, rows: list[dict], keys: list[str]):
        self.keys = keys
        self.rows = {tuple(row[key] for key in keys) + (row["measure"],): row for row in rows}

    def get(self, *values) -> dict:
        return self.rows[values]

    def mean(self, *values) -> float:
        return self.rows[values]["mean"]


def shown(value: float, decimals: int = 3) -> str:
    """A number as text, empty for NaN."""
    return "" if math.isnan(value) else f"{value:.{decimals}f}"


def with_interval(row: dict) -> str:
    """The mean and half the width of its interval: 0.944 ± 0.003."""
    if math.isnan(row["mean"]):
        return "–"
    return f"{row['mean']:.3f} ± {row['high'] - row['mean']:.3f}"
