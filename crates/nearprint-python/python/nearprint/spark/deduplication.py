"""Documents of a DataFrame -> the kept ones, and the reason for each removal.

Few documents are decided on the driver after step 2 (driver.py). Of more documents, ids, hashes and
fingerprints travel; texts go to the judge only for families of near documents.
Every heavy step is a function of the package over Arrow batches, and depends on its rows alone, so
that retries and partitions change nothing:

1. DataFrames and the names of columns -> documents (documents.py), with the values of their guards
   (guards.py);
2. a text -> its record, and the best of the documents of each text (records.py);
3. a sample of records -> smaller distances, if too many documents are near by chance (radius.py);
   each two groups of records -> candidate pairs, by the plan for the number of all (candidates.py);
4. pairs that may be duplicates -> families, on the driver; the texts of families -> decisions, by
   the engine of one machine (families.py);
5. decisions -> removed documents, clusters, pairs (results.py);
6. items inside documents -> the keepers of these (leaks.py), or their texts without the items
   (passages.py).
"""

from __future__ import annotations

import pickle
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nearprint import Config, Stats, UsageError
from nearprint._nearprint import Worker
from nearprint.deduplication import settings_of
from nearprint.progress import Progress, ProgressFunction, followed
from nearprint.spark.batches import column_of, computed, new_name, short_plans
from nearprint.spark.candidates import candidates_of
from nearprint.spark.documents import Documents, documents_of
from nearprint.spark.driver import decided_on_driver
from nearprint.spark.families import decided
from nearprint.spark.leaks import holders_of, leaks_of, passages_of
from nearprint.spark.passages import IN_PLACE, without_passages
from nearprint.spark.records import best_of, records_of, statistics_of, undated_of
from nearprint.spark.results import (
    EVIDENCE,
    Decisions,
    clustered_of,
    clusters_of,
    pairs_of,
    removed_of,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

    from nearprint.settings import Settings


# Records of a group: two of them take some 1,000 bytes each in a worker.
GROUP = 1 << 19

# Documents that the driver decides, and the most characters of their texts. A session of one
# process with the usual 1 GB brings twice as many Chinese characters, 100 MB, to the driver; with
# four times as many it loses the results of tasks.
ON_DRIVER, CHARACTERS = 100_000, 1 << 24

# The reasons of removals.
REASONS = ("exact", "near", "contained", "short", "contains")


class Deduplication:
    """The decisions on the documents of a DataFrame."""

    def __init__(
        self, kept: DataFrame, decisions: Decisions, summary: dict[str, Any], frames: ExitStack
    ):
        self._pairs, self._frames = decisions.pairs, frames
        #: The kept rows, unchanged; with ``leak_action="mask"`` or ``"cut"`` their texts lack the
        #: passages.
        self.kept = kept
        #: A row for each removed document, with the columns of ``nearprint.Result.removed`` except
        #: ``share``, ``row`` and ``keeper_row``: ``id``, ``keeper``, ``cluster`` (from 1),
        #: ``distance`` in bits, ``similarity`` (0 to 1), ``reason`` (``exact``, ``near``,
        #: ``contained``, ``short`` or ``contains``), ``lost`` (the share of it that is missing from
        #: its keeper), ``first`` and ``last`` (with the reason ``contains``, the characters of the
        #: keeper in its text, counted from 0), ``length`` and ``keeper_length`` in characters.
        self.removed = decisions.removed
        #: With ``against``, a row for each document that is a duplicate of an item, a document of
        #: ``against``, and for each passage that is an item: ``id``, ``item``, ``reason``,
        #: ``similarity``, ``first`` and ``last`` (characters, counted from 0; null for the whole
        #: document), ``action`` (``removed``, ``masked``, ``cut`` or ``listed``).
        self.leaks = decisions.leaks
        #: A row for each keeper of removed documents: ``cluster``, ``keeper``, ``size``,
        #: ``members``, in the order of the documents.
        self.clusters = decisions.clusters
        #: The run in numbers: documents ``read``, ``kept`` and ``removed``, and the removals by
        #: reason: ``exact``, ``near``, ``contained``, ``short`` and ``contains``. ``max_distance``
        #: is the largest distance of candidates in bits, lowered if too many documents are near by
        #: chance; None if only equal texts are matched. ``on_driver`` is True if the driver
        #: decided. ``undated`` is there if documents have no date in the column of
        #: ``keep="newest:COLUMN"`` or ``"oldest:COLUMN"``: ``field``, the number of ``documents``
        #: whose value is no date, the ``first`` of them with ``id`` and ``value``, and the number
        #: of ``missing`` values.
        self.summary = summary

    def __repr__(self) -> str:
        return (
            f"Deduplication of {self.summary['read']} documents: "
            "kept, removed, leaks, clusters, pairs, summary"
        )

    @cached_property
    def pairs(self) -> DataFrame:
        """The duplicate pairs: ``left``, ``right``, ``distance``, ``similarity``, ``reason``; of
        equal texts only pairs with the best of them. If executors made the decisions, a pair of two
        hubs is listed only if it removes one of the two. Hubs have more than 64 candidates or, if
        short, more than 16 duplicates that are as long or shorter. If the driver did, it compares
        all pairs on first use."""
        return self._pairs()

    def unpersist(self) -> None:
        """Frees the memory of cached frames. The DataFrames stay usable, and are computed again on
        use."""
        self._frames.close()


def dedup(
    documents: DataFrame,
    *,
    against: DataFrame | None = None,
    text: str | list[str] = "text",
    id: str = "id",
    order: str | None = None,
    group: int = GROUP,
    on_driver: int = ON_DRIVER,
    progress: Progress = False,
    config: Config | str | None = None,
    **settings: Unpack[Settings],
) -> Deduplication:
    """Finds near-duplicates and decides which documents to keep, with the same answers as
    ``nearprint.dedup``, row for row.

    Parameters
    ----------
    documents
        One document per row. It is read several times: if that is expensive, or gives other rows
        each time, write it to a table before.
    against
        Reference documents, such as a test set: only ``documents`` that are duplicates of one of
        them, or contain one, are removed. They have the same columns, also for the ``order``,
        except ``against_text_field`` and ``against_id_field``.
    text
        The column of the text, strings or UTF-8 bytes, not null; or several columns of strings,
        which are joined with a line feed, without those that are null.
    id
        The column of the id, a string or a number, unique, not null.
    order
        The column that orders the documents: of equal candidates for a keeper, the first one is
        kept. By default the id, strings as texts: ``"10"`` before ``"9"``. With the number of each
        row in its file, the answers are those of ``nearprint dedup`` on that file.
    group
        Documents per group, on average. It changes only memory and time: a worker joins two groups,
        and holds some 1,000 bytes for each of their documents.
    on_driver
        Up to this many documents, those of ``against`` included, are decided by the engine of
        ``nearprint.dedup`` on the driver if their texts have at most 16 million characters, which
        saves Spark's many small steps. The results are the same. 0: always decide on executors.
    progress
        ``True`` for a bar, or a function that is called with a stage, the documents done and their
        number, in the calling thread. Executors do not report what is done: they are represented by
        one call at the beginning of each stage, with 0 documents done. The stages are
        ``statistics`` (if weights need them) and ``read``, both without a number, then ``join``,
        ``verify`` and ``cluster``. The stages of a run on the driver follow ``read``, and report as
        in ``nearprint.dedup``. Results are computed when they are used, which is not reported.
    config, **settings
        As in ``nearprint.dedup``. ``UsageError`` for ``recall``, ``marks``, a number for
        ``just_missed``, ``distance="edit"``, ``tokens_field``, ``on_error="skip"``, and ``differ``
        with ``cluster="components"``, which are not supported on Spark.
    """
    for name, frame in [("documents", documents), ("against", against)]:
        if not hasattr(frame, "mapInArrow") and not (name == "against" and frame is None):
            raise UsageError(
                f"{name}: a {type(frame).__name__} is not a DataFrame of Spark; nearprint.dedup "
                "takes other data"
            )
    texts = [text] if isinstance(text, str) else text
    if not isinstance(texts, (list, tuple)) or not texts:
        raise UsageError(f"text: {text!r} is not the name of a column, nor a list of names")
    for name, column in [*(("text", own) for own in texts), ("id", id)]:
        if not isinstance(column, str):
            raise UsageError(f"{name}: {column!r} is not the name of a column")
    texts = list(texts)
    given = Config(config, **settings_of(settings))
    for name in ("text_field", "id_field"):
        if getattr(given, name) not in (name.partition("_")[0], [name.partition("_")[0]]):
            raise UsageError(f"{name}: name the column as dedup(..., {name.partition('_')[0]}=...)")
    if not isinstance(group, int) or group < 1:
        raise UsageError(f"group: {group!r} is not a number of documents; give 1 or more")
    if not isinstance(on_driver, int) or isinstance(on_driver, bool) or on_driver < 0:
        raise UsageError(
            f"on_driver: {on_driver!r} is not a number of documents; give 0 for never, or more"
        )
    Worker.check(given)
    read = documents_of(documents, against, texts, id, order, given)
    if isinstance(given.stats, str):
        # A copy of the file goes to the workers with the settings.
        given = given.replace(stats=pickle.loads(pickle.dumps(Stats.load(given.stats))))
    # If a step fails, cached frames are freed.
    with (
        short_plans(documents.sparkSession),
        followed(progress) as report,
        ExitStack() as frames,
    ):
        if given.needs_statistics:
            _tell(report, "statistics")
            given = given.replace(stats=statistics_of(read.rows, given))
        Worker(given)
        return _deduplicated(documents, texts, id, read, given, group, on_driver, report, frames)


def _deduplicated(
    documents: DataFrame,
    texts: list[str],
    id: str,
    read: Documents,
    given: Config,
    group: int,
    on_driver: int,
    report: ProgressFunction | None,
    frames: ExitStack,
) -> Deduplication:
    """The steps of a run. `frames` holds the cached frames that the result needs; the result takes
    it over."""
    from pyspark.sql import functions as f

    _tell(report, "read")
    records, size = records_of(read.rows, given, read.items, frames)
    undated = undated_of(records, given)
    is_small = 0 < size.documents <= on_driver and size.characters <= CHARACTERS
    if is_small:
        decisions = decided_on_driver(read, records, given, report)
        # The result is on the driver.
        frames.close()
    else:
        decisions = _decided_on_executors(read, records, given, group, size.own, report, frames)
    of_removed = new_name("_removed", documents)
    gone = decisions.removed.select(f.col("id").alias(of_removed))
    if is_small:
        gone = f.broadcast(gone)
    kept = documents.join(gone, column_of(documents, id) == gone[of_removed], "left_anti")
    if decisions.passages is not None and given.leak_action in IN_PLACE:
        kept = without_passages(kept, texts[0], id, decisions.passages, given.leak_action)
    removed = sum(decisions.reasons.values())
    summary: dict[str, Any] = {
        "read": size.own,
        "max_distance": decisions.max_distance,
        "on_driver": is_small,
        **({"undated": undated} if undated else {}),
        "kept": size.own - removed,
        "removed": removed,
        **dict.fromkeys(REASONS, 0),
        **decisions.reasons,
    }
    return Deduplication(kept, decisions, summary, frames.pop_all())


def _decided_on_executors(
    read: Documents,
    records: DataFrame,
    given: Config,
    group: int,
    count: int,
    report: ProgressFunction | None,
    frames: ExitStack,
) -> Decisions:
    """The decisions on `count` documents, by all steps."""
    has_sides, action = read.has_sides, given.leak_action
    best, several = best_of(records, given, frames)
    with ExitStack() as meanwhile:
        _tell(report, "join", count)
        candidates = candidates_of(read.rows, best, given, group, has_sides, meanwhile)
        _tell(report, "verify", count)
        found = computed(decided(read.rows, best, candidates, meanwhile), frames)
    _tell(report, "cluster", count)
    # With `differ`, copies of equal values are not pairs.
    copies_go = not given.differ
    removed = removed_of(records, best, several, found.where("removed"), has_sides, copies_go)
    passages = passages_of(records, read.items, given)
    if passages is not None and action == "remove":
        removed = removed.unionByName(holders_of(records, best, removed, passages, given))
    clustered = computed(clustered_of(records, removed, has_sides), frames)
    removed = clustered.limit(0) if action == "list" else clustered
    pairs = pairs_of(records, best, found.where("not removed"), has_sides, copies_go)
    return Decisions(
        removed=removed.select("id", "keeper", *EVIDENCE),
        leaks=leaks_of(clustered if has_sides else clustered.limit(0), passages, action),
        clusters=clusters_of(clustered),
        pairs=lambda: pairs,
        passages=passages,
        reasons={
            row["reason"]: row["count"] for row in removed.groupBy("reason").count().collect()
        },
        max_distance=Worker(candidates.config).max_distance,
    )


def _tell(report: ProgressFunction | None, stage: str, count: int | None = None) -> None:
    """Reports the beginning of a stage."""
    if report is not None:
        report(stage, 0, count)
