"""Time, memory and the shares of stages against the number of documents, as SVG."""

from pathlib import Path

from .plots import COLORS, finish, pyplot
from .scale_rows import STAGES, stages


def draw(folder: Path, rows: list[dict]) -> None:
    """All three."""
    time(folder / "scale-time.svg", rows)
    memory(folder / "scale-memory.svg", rows)
    shares(folder / "scale-stages.svg", rows)


def time(path: Path, rows: list[dict]) -> None:
    """Both axes logarithmic, so that what grows as the documents do is as steep as the dotted line."""
    documents, figure, axes = axes_over_documents(rows, "seconds")
    for name, label, color in [("seconds", "of the clock", COLORS[0]), ("cpu_seconds", "of all processors", COLORS[1])]:
        axes.plot(documents, [row[name] for row in rows], "o-", color=color, label=label, linewidth=1.5, markersize=4)
    steady = [rows[0]["seconds"] * count / documents[0] for count in documents]
    axes.plot(documents, steady, ":", color="#888888", label="in proportion to the documents", linewidth=1)
    axes.set_yscale("log")
    finish(figure, path, *axes.get_legend_handles_labels(), 3)


def memory(path: Path, rows: list[dict]) -> None:
    """The peak memory of the process beside the size of the texts, both axes logarithmic."""
    documents, figure, axes = axes_over_documents(rows, "MB")
    held = [row["memory_mb"] for row in rows]
    axes.plot(documents, held, "o-", color=COLORS[0], label="peak memory", linewidth=1.5, markersize=4)
    axes.plot(documents, [row["text_mb"] for row in rows], ":", color="#888888", label="texts", linewidth=1)
    axes.set_yscale("log")
    finish(figure, path, *axes.get_legend_handles_labels(), 2)


def shares(path: Path, rows: list[dict]) -> None:
    """A bar for each size."""
    figure, axes = pyplot.subplots(figsize=(7.5, 0.5 * len(rows) + 1.4))
    left = [0.0] * len(rows)
    for stage in stages(rows):
        width = [row[f"{stage}_seconds"] / row["seconds"] for row in rows]
        axes.barh(range(len(rows)), width, left=left, height=0.6, color=COLORS[STAGES.index(stage)], label=stage)
        left = [place + own for place, own in zip(left, width)]
    axes.set_yticks(range(len(rows)), [f"{row['documents']:,}" for row in rows])
    axes.invert_yaxis()
    axes.set(xlabel="share of the time of the clock", ylabel="documents", xlim=(0, 1))
    finish(figure, path, *axes.get_legend_handles_labels(), 8)


def axes_over_documents(rows: list[dict], y_label: str):
    figure, axes = pyplot.subplots(figsize=(7.5, 4.4))
    axes.set(xlabel="documents", ylabel=y_label, xscale="log")
    return [row["documents"] for row in rows], figure, axes
