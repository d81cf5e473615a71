"""Runs of indexes -> the copies that they found, and the lines of the table."""

import statistics

from .index_tools import Run

HEADER = [
    "documents",
    "tool",
    "added a second: CPU; clock",
    "from the texts on",
    "asked a second: CPU; clock",
    "from the texts on",
    "peak memory, MB: to add; to ask",
    "of it of no file",
    "on disk, MB",
    "opened in, s",
    "copies found",
    "other answers",
]


def found(questions: list[dict], answers: list[dict]) -> tuple[int, int]:
    """The number of copies whose original was found, and the number of all other answers."""
    originals = {row["id"]: row["of"] for row in questions}
    right = others = 0
    for answer in answers:
        ids = [match["id"] for match in answer["matches"]]
        hit = originals[answer["id"]] is not None and originals[answer["id"]] in ids
        right += hit
        others += len(ids) + answer["more"] - hit
    return right, others


def rate(count: int, figures: dict, part: str) -> str:
    """The number done per second of CPU time and of wall-clock time."""
    if part not in figures:
        return "–"
    return "; ".join(f"{count / max(figures[of], 1e-3):,.0f}" for of in (f"{part} cpu", part))


def megabytes(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def middle(runs: list[Run]) -> dict[str, float]:
    """The median of each figure over the runs."""
    names = {name for run in runs for name, value in run.figures.items() if value is not None}
    return {
        name: statistics.median(
            run.figures[name] for run in runs if run.figures.get(name) is not None
        )
        for name in names
    }


def line(size: int, tool, runs: list[Run], questions: list[dict]) -> list[str]:
    """The line of one tool: medians of its runs, and the recall of the last one."""
    figures = middle(runs)
    right, others = found(questions, runs[-1].answers)
    planted = sum(row["of"] is not None for row in questions)
    disk = (
        f"{figures['bytes'] / 1e6:,.1f}{'' if tool.keeps else ', if written'}"
        if "bytes" in figures
        else "nothing"
    )
    opened = f"{figures['open']:.3f}" if "open" in figures else "–"
    memory = f"{megabytes(figures.get('adding memory', figures['memory']))}; {megabytes(figures['memory'])}"
    return [
        f"{size:,}",
        tool.name,
        *(
            rate(count, figures, f"{part}{ending}")
            for part, count in (("add", size), ("ask", len(questions)))
            for ending in ("", " from texts")
        ),
        memory,
        megabytes(figures.get("anonymous")),
        disk,
        opened,
        f"{right:,} of {planted:,}",
        f"{others:,}",
    ]
