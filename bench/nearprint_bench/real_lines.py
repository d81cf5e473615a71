"""The lines of the table of `real_files`."""

HEADER = [
    "corpus",
    "documents",
    "MB",
    "nearprint, s",
    "MB/s",
    "peak, MB",
    "removed",
    "other, s",
    "MB/s",
    "peak, MB",
    "removed",
    "times as fast",
]


def line(
    name: str, documents: int, megabytes: float, figures: list[tuple[float, float, int]]
) -> list[str]:
    """The line of a corpus; `figures` are seconds, memory and removed documents of each program."""
    cells = [
        cell
        for seconds, memory, removed in figures
        for cell in (
            f"{seconds:.2f}",
            f"{megabytes / seconds:.1f}",
            f"{memory:.0f}",
            f"{removed:,}",
        )
    ]
    return [
        name,
        f"{documents:,}",
        f"{megabytes:.1f}",
        *cells,
        f"{figures[1][0] / figures[0][0]:.1f}",
    ]


def total(lines: list[tuple[str, int, float, list]]) -> list[str]:
    """The line of all corpora together."""
    figures = [
        (
            sum(line[3][tool][0] for line in lines),
            max(line[3][tool][1] for line in lines),
            sum(line[3][tool][2] for line in lines),
        )
        for tool in (0, 1)
    ]
    return line("together", sum(line[1] for line in lines), sum(line[2] for line in lines), figures)
