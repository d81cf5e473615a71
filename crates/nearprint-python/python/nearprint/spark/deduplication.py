"""Documents of a DataFrame -> the kept ones, and the reason for each removal.

Ids, hashes and fingerprints travel; texts go to the judge only for families of near documents.
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
from typing import TYPE_CHECKING, Any

from nearprint import Config, Stats, UsageError
from nearprint._nearprint import Worker
from nearprint.deduplication import settings_of
from nearprint.spark.batches import column_of, computed, new_name, short_plans
from nearprint.spark.candidates import candidates_of
from nearprint.spark.documents import Documents, documents_of
from nearprint.spark.families import decided
from nearprint.spark.leaks import holders_of, leaks_of, passages_of
from nearprint.spark.passages import IN_PLACE, without_passages
from nearprint.spark.records import best_of, records_of, statistics_of, undated_of
from nearprint.spark.results import clusters_of, pairs_of, removed_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

    from nearprint.settings import Settings


# Records of a group: two of them take some 1,000 bytes each in a worker.
GROUP = 1 << 19


class Deduplication:
    """The decisions on the documents of a DataFrame."""

    def __init__(
        self,
        kept: DataFrame,
        removed: DataFrame,
        leaks: DataFrame,
        clusters: DataFrame,
        pairs: DataFrame,
        known: dict[str, Any],
        frames: ExitStack,
    ):
        self._known, self._frames = known, frames
        #: The kept rows, unchanged; with ``leak_action="mask"`` or ``"cut"`` their texts lack the
        #: passages.
        self.kept = kept
        #: A row for each removed document: ``id``, ``keeper``, ``similarity`` (0 to 1), ``reason``
        #: (``exact``, ``near``, ``contained``, ``short`` or ``contains``), ``distance`` in bits,
        #: ``lost``: the share of it that is missing from its keeper.
        self.removed = removed
        #: With ``against``, a row for each document that is a duplicate of an item, a document of
        #: ``against``, and for each passage that is an item: ``id``, ``item``, ``reason``,
        #: ``similarity``, ``first`` and ``last`` (characters, counted from 0; null for the whole
        #: document), ``action`` (``removed``, ``masked``, ``cut`` or ``listed``).
        self.leaks = leaks
        #: A row for each keeper of removed documents: ``cluster``, ``keeper``, ``size``,
        #: ``members``, in the order of the documents.
        self.clusters = clusters
        #: The duplicate pairs: ``left``, ``right``, ``distance``, ``similarity``, ``reason``; of
        #: equal texts only pairs with the best of them. A pair of two hubs is listed only if it
        #: removes one of the two. Hubs have more than 64 candidates or, if short, more than 16
        #: duplicates that are as long or shorter.
        self.pairs = pairs

    def __repr__(self) -> str:
        return (
            f"Deduplication of {self._known['read']} documents: "
            "kept, removed, leaks, clusters, pairs, summary"
        )

    @property
    def summary(self) -> dict[str, Any]:
        """The run in numbers: documents ``read``, ``kept`` and ``removed``, and the removals by
        reason: ``exact``, ``near``, ``contained``, ``short`` and ``contains``. ``max_distance`` is
        the largest distance of candidates in bits, lowered if too many documents are near by
        chance; None if only equal texts are matched. ``undated`` is there if documents have no date
        in the column of ``keep="newest:COLUMN"`` or ``"oldest:COLUMN"``: ``field``, the number of
        ``documents`` whose value is no date, the ``first`` of them with ``id`` and ``value``, and
        the number of ``missing`` values."""
        reasons = dict.fromkeys(("exact", "near", "contained", "short", "contains"), 0)
        reasons.update(
            (row["reason"], row["count"])
            for row in self.removed.groupBy("reason").count().collect()
        )
        removed = sum(reasons.values())
        return {**self._known, "kept": self._known["read"] - removed, "removed": removed, **reasons}

    def unpersist(self) -> None:
        """Frees the memory of cached frames. The DataFrames stay usable, and are computed again on
        use."""
        self._frames.close()


def dedup(
    documents: DataFrame,
    *,
    against: DataFrame | None = None,
    text: str = "text",
    id: str = "id",
    order: str | None = None,
    group: int = GROUP,
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
    text, id
        The columns of the text, strings or UTF-8 bytes, and of the id, a string or a number;
        neither is null, and ids are unique.
    order
        The column that orders the documents: of equal candidates for a keeper, the first one is
        kept. By default the id, strings as texts: ``"10"`` before ``"9"``. With the number of each
        row in its file, the answers are those of ``nearprint dedup`` on that file.
    group
        Documents per group, on average. It changes only memory and time: a worker joins two groups,
        and holds some 1,000 bytes for each of their documents.
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
    for name, column in [("text", text), ("id", id)]:
        if not isinstance(column, str):
            raise UsageError(
                f"{name}: {column!r} is not the name of a column; join several columns with "
                "concat_ws before"
            )
    given = Config(config, **settings_of(settings))
    for name in ("text_field", "id_field"):
        if getattr(given, name) not in (name.partition("_")[0], [name.partition("_")[0]]):
            raise UsageError(f"{name}: name the column as dedup(..., {name.partition('_')[0]}=...)")
    if not isinstance(group, int) or group < 1:
        raise UsageError(f"group: {group!r} is not a number of documents; give 1 or more")
    Worker.check(given)
    read = documents_of(documents, against, text, id, order, given)
    if isinstance(given.stats, str):
        # A copy of the file goes to the workers with the settings.
        given = given.replace(stats=pickle.loads(pickle.dumps(Stats.load(given.stats))))
    if given.needs_statistics:
        given = given.replace(stats=statistics_of(read.rows, given))
    Worker(given)
    # If a step fails, cached frames are freed.
    with short_plans(documents.sparkSession), ExitStack() as frames:
        return _deduplicated(documents, text, id, read, given, group, frames)


def _deduplicated(
    documents: DataFrame,
    text: str,
    id: str,
    read: Documents,
    given: Config,
    group: int,
    frames: ExitStack,
) -> Deduplication:
    """The steps of a run. `frames` holds the cached frames that the result needs; the result takes
    it over."""
    from pyspark.sql import functions as f

    has_sides = read.has_sides
    records, count = records_of(read.rows, given, read.items, frames)
    undated = undated_of(records, given)
    best, several = best_of(records, given, frames)
    with ExitStack() as meanwhile:
        candidates = candidates_of(read.rows, best, given, group, has_sides, meanwhile)
        found = computed(decided(read.rows, best, candidates, meanwhile), frames)
    # With `differ`, copies of equal values are not pairs.
    copies_go = not given.differ
    removed = removed_of(records, best, several, found.where("removed"), has_sides, copies_go)
    passages, action = passages_of(records, read.items, given), given.leak_action
    if passages is not None and action == "remove":
        removed = removed.unionByName(holders_of(records, best, removed, passages, given))
    clustered = computed(removed, frames)
    removed = clustered.limit(0) if action == "list" else clustered
    of_removed = new_name("_removed", documents)
    gone = removed.select(f.col("id").alias(of_removed))
    kept = documents.join(gone, column_of(documents, id) == gone[of_removed], "left_anti")
    if passages is not None and action in IN_PLACE:
        kept = without_passages(kept, text, id, passages, action)
    leaks = leaks_of(clustered if has_sides else clustered.limit(0), passages, action)
    clusters = clusters_of(records, clustered, has_sides)
    pairs = pairs_of(records, best, found.where("not removed"), has_sides, copies_go)
    known: dict[str, Any] = {
        "read": count,
        "max_distance": Worker(candidates.config).max_distance,
    }
    if undated:
        known["undated"] = undated
    return Deduplication(
        kept, removed.drop("place"), leaks, clusters, pairs, known, frames.pop_all()
    )
