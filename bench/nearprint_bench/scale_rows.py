"""The summary of a run -> a row of results, and the cells of the table."""

# The stages in the order of a run, which may skip some.
STAGES = [
    "read",
    "statistics",
    "estimate",
    "fingerprint",
    "join",
    "verify",
    "recall",
    "cluster",
    "write",
]


def sizes(text: str) -> list[int]:
    """The distinct numbers of documents, in ascending order."""
    return sorted({int(size) for size in text.split(",")})


def row(summary: dict, cpu_seconds: float, recall: float, precision: float) -> dict:
    """The names and numbers of a row, in the order of the columns."""
    seconds = summary["seconds"]
    if unknown := set(seconds) - {"all", *STAGES}:
        raise SystemExit(f"stages without a column: {', '.join(sorted(unknown))}")
    return {
        "documents": summary["counts"]["read"],
        "text_mb": summary["bytes"]["text"] / 1e6,
        "seconds": seconds["all"],
        "cpu_seconds": cpu_seconds,
        **{f"{stage}_seconds": seconds.get(stage, 0.0) for stage in STAGES},
        "memory_mb": summary["peak_memory_bytes"] / 1e6,
        "max_distance": summary["max_distance"],
        "candidates": summary["counts"]["candidate_pairs"],
        "recall": recall,
        "precision": precision,
    }


def stages(rows: list[dict]) -> list[str]:
    """The stages that took time."""
    return [stage for stage in STAGES if any(row[f"{stage}_seconds"] for row in rows)]


def cells(rows: list[dict]) -> tuple[list[str], list[list[str]]]:
    """The header of the table, and its lines."""
    taken = stages(rows)
    header = [
        "documents",
        "text, MB",
        "seconds",
        "CPU seconds",
        *(f"{stage}, s" for stage in taken),
        "peak memory, MB",
        "distance",
        "candidates",
        "recall",
        "precision",
    ]
    lines = []
    for row in rows:
        times = [
            row[name]
            for name in ("seconds", "cpu_seconds", *(f"{stage}_seconds" for stage in taken))
        ]
        lines.append(
            [
                f"{row['documents']:,}",
                f"{row['text_mb']:.0f}",
                *(f"{time:.2f}" for time in times),
                f"{row['memory_mb']:.0f}",
                str(row["max_distance"]),
                f"{row['candidates']:,}",
                f"{row['recall']:.4f}",
                f"{row['precision']:.4f}",
            ]
        )
    return header, lines
