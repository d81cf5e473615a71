"""Time and memory against the number of documents, as SVG."""

from pathlib import Path

from .plots import COLORS, finish, pyplot


def draw(folder: Path, rows: list[dict]) -> None:
    """Draws both plots."""
    time(folder / "scale-time.svg", rows)
    memory(folder / "scale-memory.svg", rows)


def time(path: Path, rows: list[dict]) -> None:
    """Plots seconds on logarithmic axes; linear growth is as steep as the dotted line."""
    documents, figure, axes = axes_over_documents(rows, "seconds")
    for name, label, color in [
        ("seconds", "of the clock", COLORS[0]),
        ("cpu_seconds", "of all processors", COLORS[1]),
    ]:
        axes.plot(
            documents,
            [row[name] for row in rows],
            "o-",
            color=color,
            label=label,
            linewidth=1.5,
            markersize=4,
        )
    steady = [rows[0]["seconds"] * count / documents[0] for count in documents]
    axes.plot(
        documents, steady, ":", color="#888888", label="in proportion to the documents", linewidth=1
    )
    axes.set_yscale("log")
    finish(figure, path, *axes.get_legend_handles_labels(), 3)


def memory(path: Path, rows: list[dict]) -> None:
    """Plots the peak memory of the process and the size of the texts on logarithmic axes."""
    documents, figure, axes = axes_over_documents(rows, "MB")
    held = [row["memory_mb"] for row in rows]
    axes.plot(
        documents, held, "o-", color=COLORS[0], label="peak memory", linewidth=1.5, markersize=4
    )
    axes.plot(
        documents,
        [row["text_mb"] for row in rows],
        ":",
        color="#888888",
        label="texts",
        linewidth=1,
    )
    axes.set_yscale("log")
    finish(figure, path, *axes.get_legend_handles_labels(), 2)


def axes_over_documents(rows: list[dict], y_label: str):
    figure, axes = pyplot.subplots(figsize=(7.5, 4.4))
    axes.set(xlabel="documents", ylabel=y_label, xscale="log")
    return [row["documents"] for row in rows], figure, axes
