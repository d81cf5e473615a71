"""Found pairs or clusters, compared with labelled ones."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nearprint import _nearprint
from nearprint._nearprint import Config
from nearprint.deduplication import Result, names_ids, settings_of
from nearprint.errors import NearprintWarning, UsageError
from nearprint.frames import column_of
from nearprint.notebook import table_of
from nearprint.progress import Progress
from nearprint.signatures import with_settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from nearprint.settings import Settings

__all__ = ["Case", "Evaluation", "Figure", "evaluate"]


@dataclass(frozen=True)
class Figure:
    """A measure with its 95 % interval; None if it is not defined, or without intervals."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Case:
    """A pair that only one of the two answers has. Each text shows its first passage that differs,
    in brackets, with some words around it."""

    left: int | str
    right: int | str
    distance: int | None
    similarity: float | None
    left_text: str | None
    right_text: str | None


class Evaluation:
    """The agreement of a found answer with a labelled one. Each measure is an attribute:
    ``evaluation.f1.value``."""

    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report
        """The whole report, as ``nearprint evaluate --json`` shows it."""
        self.measures = {name: Figure(**figure) for name, figure in report["measures"].items()}
        """precision, recall, f1, bcubed_precision, bcubed_recall, bcubed_f1, adjusted_rand_index,
        document_accuracy."""
        self.counts: dict[str, int] = report["counts"]
        """Pairs: found_pairs, labelled_pairs, true_positives, misses, false_alarms, …"""
        self.misses = [_case(case) for case in report["misses"]["pairs"]]
        """Labelled pairs that were not found, the most similar first."""
        self.false_alarms = [_case(case) for case in report["false_alarms"]["pairs"]]
        """Found pairs that are not labelled, the least similar first."""
        self.proposal: dict[str, Any] | None = report.get("proposal")
        """The proposal, if ``truth`` has the columns ``verdict`` (``right`` or ``wrong``) and
        ``similarity``: ``min_similarity``, the bound of the best F1 over these pairs, with its
        ``precision`` and ``recall`` (``value``, ``low``, ``high``; recall counts marked pairs
        only), None below 50 marks; ``missing``: the number of marks that it still needs;
        ``all_pairs``: the number of pairs in the output folder of a run, if they are fewer and a
        mark on each is enough; ``advice``: without a proposal, a sentence about what follows from
        the marks of a run; ``marks``, ``right``, ``without_similarity``, and ``unknown``:
        marked pairs of documents that are not in the run."""
        self.notes: list[str] = report["notes"]
        """Notes for a reader of the figures."""

    def __getattr__(self, name: str) -> Figure:
        measures: dict[str, Figure] = self.__dict__.get("measures", {})
        if name not in measures:
            raise AttributeError(f"there is no measure {name}")
        return measures[name]

    def __repr__(self) -> str:
        figures = (
            f"{name} {_number(self.measures[name].value)}" for name in ("precision", "recall", "f1")
        )
        return f"<Evaluation: {', '.join(figures)}>"

    def _repr_html_(self) -> str:
        rows = [
            [name.replace("_", " "), *map(_number, (figure.value, figure.low, figure.high))]
            for name, figure in self.measures.items()
        ]
        return table_of(["measure", "value", "low", "high"], rows, caption="nearprint evaluate")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _case(found: dict[str, Any]) -> Case:
    own: dict[str, Any] = {name: found.get(name) for name in Case.__dataclass_fields__}
    return Case(**own)


@with_settings
def evaluate(
    found: Any,
    truth: Any,
    *,
    documents: Any = None,
    text: str | list[str] | None = None,
    id: str | None = None,
    left_field: str | None = None,
    right_field: str | None = None,
    cluster_field: str | None = None,
    label_field: str | None = None,
    judged_only: bool = False,
    worst: int = 10,
    bootstrap: int = 1000,
    seed: int = 0,
    progress: Progress = False,
    config: Config | str | os.PathLike[str] | None = None,
    **settings: Unpack[Settings],
) -> Evaluation:
    """Measures how well found pairs or clusters agree with labelled ones, as ``nearprint evaluate``
    does.

    Parameters
    ----------
    found, truth
        Pairs (columns ``left``, ``right``, and for labelled pairs optionally ``label``: above 0 for
        duplicates, 0 for others) or clusters (``id``, ``cluster``): a table of any library that
        :func:`nearprint.dedup` takes, a list of dicts, or the path of a file or of an output folder
        of the command line. ``found`` may also be a :class:`~nearprint.Result`. An output folder
        gives the settings, if ``config`` names none, and the documents.
    documents
        The corpus, as a table or a path: documents without duplicates then count too, and texts are
        compared.
    left_field, right_field, cluster_field, label_field, id, text
        Other names of columns; ``text`` is a column of the documents.
    judged_only
        If True, pairs and documents that ``truth`` does not judge are ignored.
    worst
        Misses and false alarms to give; 0: none.
    bootstrap, seed
        Bootstrap replicates for the intervals, 0: no intervals; and the seed of their random
        numbers.
    progress, config, **settings
        As in :func:`nearprint.dedup`.

    Returns
    -------
    Evaluation
        Precision, recall, F1, B-cubed, the adjusted Rand index and accuracy by document, 0 to 1,
        each with a 95 % interval; the worst misses and false alarms.

    Raises
    ------
    UsageError, RejectedError, IncompatibleError, FileError
        As in :func:`nearprint.dedup`; IncompatibleError for tables of neither pairs nor clusters.

    Examples
    --------
    >>> found = [{"left": 1, "right": 2}, {"left": 3, "right": 4}]
    >>> clusters = {1: "a", 2: "a", 3: None, 4: None}
    >>> truth = [{"id": id, "cluster": cluster} for id, cluster in clusters.items()]
    >>> evaluate(found, truth).precision.value
    0.5
    """
    columns = (left_field, right_field, cluster_field, label_field)
    own = settings_of(settings, text, id)
    report: dict[str, Any] = json.loads(
        _nearprint.evaluate(
            _answer(found),
            _answer(truth),
            documents if documents is None or _is_path(documents) else column_of(documents),
            names_ids(Config(config, **own), settings, id),
            columns,
            judged_only,
            worst,
            bootstrap,
            seed,
            progress,
            config,
            own,
        )
    )
    for rejection in report.pop("rejections"):
        warnings.warn(f"left out: {rejection}", NearprintWarning, stacklevel=2)
    return Evaluation(report)


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _answer(rows: Any) -> Any:
    if isinstance(rows, Result):
        if rows._run.shares_ids():
            raise UsageError(
                "found: documents and reference documents share ids; give each its own",
                setting="found",
            )
        return rows._run.removed()
    return rows if _is_path(rows) else column_of(rows)
