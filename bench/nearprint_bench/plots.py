"""Line and dot plots as SVG. Equal numbers give equal bytes."""

from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update(
    {
        "svg.hashsalt": "nearprint",
        "svg.fonttype": "none",
        "font.family": ["DejaVu Sans", "sans-serif"],
        "font.size": 9,
        "axes.grid": True,
        "grid.color": "#dddddd",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "path.simplify": True,
    }
)
from matplotlib import pyplot  # noqa: E402

COLORS = [
    "#0b5fa5",
    "#d1495b",
    "#2a9d5c",
    "#e08e0b",
    "#7b4fa3",
    "#5c5c5c",
    "#17a2b8",
    "#b5651d",
    "#9aa80b",
]


@dataclass
class Curve:
    """A mean with its band."""

    label: str
    x: list[float]
    rows: list[dict]
    color: str
    style: str = "-"


@dataclass
class Marks:
    """Values printed in the paper."""

    label: str
    x: list[float]
    y: list[float]
    color: str


@dataclass
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    y_label: str
    curves: list[Curve]
    marks: list[Marks]
    vertical: tuple[float, str] | None = None


def curves(path: Path, panels: list[Panel], columns: int = 2) -> None:
    """Draws panels side by side over one legend."""
    figure, all_axes = pyplot.subplots(
        1, len(panels), figsize=(5.2 * len(panels) if len(panels) > 1 else 7.5, 5.4), squeeze=False
    )
    for panel, axes in zip(panels, all_axes[0]):
        for curve in panel.curves:
            axes.plot(
                curve.x,
                [row["mean"] for row in curve.rows],
                curve.style,
                color=curve.color,
                label=curve.label,
                linewidth=1.5,
            )
            axes.fill_between(
                curve.x,
                [row["low"] for row in curve.rows],
                [row["high"] for row in curve.rows],
                color=curve.color,
                alpha=0.2,
                linewidth=0,
            )
        for marks in panel.marks:
            axes.plot(
                marks.x,
                marks.y,
                "D",
                color=marks.color,
                label=marks.label,
                markersize=6,
                markeredgecolor="black",
                markeredgewidth=0.8,
            )
        if panel.vertical:
            axes.axvline(panel.vertical[0], color="#888888", linewidth=0.8, linestyle=":")
            axes.text(
                panel.vertical[0],
                1.03,
                panel.vertical[1],
                ha="center",
                va="bottom",
                fontsize=8,
                color="#666666",
            )
        axes.set(xlabel=panel.x_label, ylabel=panel.y_label, ylim=(-0.02, 1.02))
        axes.set_title(panel.title, fontsize=10, pad=16 if panel.vertical else 6)
    handles, labels = all_axes[0][0].get_legend_handles_labels()
    finish(figure, path, handles, labels, columns)


def dots(
    path: Path,
    names: list[str],
    measures: list[tuple[str, list[dict]]],
    marks: list[dict[int, float]],
) -> None:
    """Draws a panel for each measure, with a dot and its interval for each name.

    Diamonds are the paper's values, by the number of the name.
    """
    figure, all_axes = pyplot.subplots(
        1, len(measures), figsize=(11, 0.3 * len(names) + 1.4), sharey=True
    )
    places = range(len(names))
    for axes, (title, rows), printed in zip(all_axes, measures, marks):
        for place, row in zip(places, rows):
            axes.errorbar(
                [row["mean"]],
                [place],
                xerr=[[row["mean"] - row["low"]], [row["high"] - row["mean"]]],
                fmt="o",
                color=COLORS[0],
                markersize=4.5,
                capsize=2,
                linewidth=1,
            )
        axes.plot(
            list(printed.values()),
            list(printed),
            "D",
            color="#ffffff",
            markeredgecolor=COLORS[1],
            markeredgewidth=1.4,
            markersize=6,
        )
        axes.set(xlim=(-0.03, 1.03), xlabel=title)
    all_axes[0].set_yticks(list(places), names)
    all_axes[0].invert_yaxis()
    handles = [
        pyplot.Line2D([], [], marker="o", color=COLORS[0], linestyle=""),
        pyplot.Line2D([], [], marker="D", color="#ffffff", markeredgecolor=COLORS[1], linestyle=""),
    ]
    finish(figure, path, handles, ["measured, with its 95 % interval", "printed in the paper"], 2)


def finish(figure, path: Path, handles, labels, columns: int) -> None:
    rows = -(-len(labels) // columns)
    bottom = (0.22 * rows + 0.1) / figure.get_figheight()
    figure.legend(handles, labels, loc="lower center", ncols=columns, fontsize=8)
    figure.tight_layout(rect=(0, bottom, 1, 1))
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
