"""Documents of a DataFrame -> those that stay, and why each other one goes.

Ids, hashes and fingerprints travel; texts go to the judge for families of near documents alone. Every heavy step is a function of the package over
Arrow batches, and each of them depends on its rows alone, so that retries and partitions change nothing:

1. a text -> its print, and the best of the documents of each text (prints.py);
2. each two groups of prints -> candidate pairs, by the plan for the number of all (candidates.py);
3. pairs that may be duplicates -> families, on the driver; the texts of families -> decisions, by the engine of one machine (families.py);
4. decisions -> kept and removed documents, clusters, pairs (here).
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pyarrow

from nearprint import Config, Stats, UsageError
from nearprint._nearprint import Worker
from nearprint.deduplication import settings_of
from nearprint.spark.batches import column_of, computed, short_plans
from nearprint.spark.candidates import candidates_of
from nearprint.spark.families import decided
from nearprint.spark.guards import guards_of, kind_of, values_of
from nearprint.spark.passages import IN_PLACE, without_passages
from nearprint.spark.prints import best_of, items_of, preference_of, prints_of, statistics_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Prints of a group: two of them take some 1,000 bytes each in a worker.
GROUP = 1 << 19


class Deduplication:
    """What became of the documents of a DataFrame."""

    def __init__(
        self, kept: DataFrame, removed: DataFrame, leaks: DataFrame, clusters: DataFrame, pairs: DataFrame, read: int, frames: ExitStack
    ):
        self._read, self._frames = read, frames
        #: The rows that stay, as they were.
        self.kept = kept
        #: A row for each other document: ``id``, ``keeper``, ``similarity`` (0 to 1), ``reason`` (``exact``, ``near``, ``contained``,
        #: ``short`` or ``contains``), ``distance`` in bits, ``lost``: the share of it that stands nowhere in its keeper.
        self.removed = removed
        #: With ``against`` a row for each document that is a duplicate of an item, a document of ``against``, and for each passage in which
        #: an item stands: ``id``, ``item``, ``reason``, ``similarity``, ``first`` and ``last`` (characters, counted from 0; null for the whole
        #: document), ``action`` (``removed``, ``masked``, ``cut`` or ``listed``).
        self.leaks = leaks
        #: A row for each keeper that others go for: ``cluster``, ``keeper``, ``size``, ``members``, in the order of the documents.
        self.clusters = clusters
        #: The duplicate pairs: ``left``, ``right``, ``distance``, ``similarity``, ``reason``; of equal texts those with the best of them. Of two
        #: documents that both have more than 64 candidates, or are compared by their characters and both have more than 16 duplicates that are as long as they or shorter, only those that remove one of the two.
        self.pairs = pairs

    def __repr__(self) -> str:
        return f"Deduplication of {self._read} documents: kept, removed, leaks, clusters, pairs, summary"

    @property
    def summary(self) -> dict[str, Any]:
        """The run in numbers: the documents ``read``, ``kept`` and ``removed``, and of these the ones that are removed as ``exact``, ``near``,
        ``contained``, ``short`` and ``contains``."""
        reasons = dict.fromkeys(("exact", "near", "contained", "short", "contains"), 0)
        reasons.update((row["reason"], row["count"]) for row in self.removed.groupBy("reason").count().collect())
        removed = sum(reasons.values())
        return {"read": self._read, "kept": self._read - removed, "removed": removed, **reasons}

    def unpersist(self) -> None:
        """Gives back the memory of what was held. The DataFrames can still be asked for, and are computed anew then."""
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
    **settings: Any,
) -> Deduplication:
    """Finds near-duplicates and decides which documents stay, as ``nearprint.dedup`` does, row for row.

    Parameters
    ----------
    documents
        One document a row. It is read several times: where that is expensive or says something else each time, write it to a table before.
    against
        Other documents, such as a test set, that these are only compared with: those of ``documents`` that are duplicates of one of them go. They
        have the same columns, also that of the ``order``, but for ``against_text_field`` and ``against_id_field``.
    text, id
        The columns of the text, strings or UTF-8 bytes, and of the id, a string or a number; neither is null, and each id is there once.
    order
        The column by which documents come one after the other, where that decides: of equal candidates for a keeper the first one stays.
        By default they are ordered by their ids, strings as texts: ``"10"`` before ``"9"``. With the number of each row in its file the answers
        are those of ``nearprint dedup`` on that file.
    group
        Documents of a group, on average. It changes nothing but memory and time: a worker joins two groups, and holds some 1,000 bytes for
        each document of these.
    config, **settings
        Those of ``nearprint.dedup``. ``UsageError`` for ``recall``, ``distance="edit"``, ``tokens_field`` and ``on_error``, which a run in parts does not
        know.
    """
    for name, frame in [("documents", documents), ("against", against)]:
        if not hasattr(frame, "mapInArrow") and not (name == "against" and frame is None):
            raise UsageError(f"{name}: a {type(frame).__name__} is no DataFrame of Spark; nearprint.dedup takes data of other kinds")
    for name, column in [("text", text), ("id", id)]:
        if not isinstance(column, str):
            raise UsageError(f"{name}: {column!r} is no name of a column; join several columns by concat_ws before")
    given = Config(config, **settings_of(settings))
    for name in ("text_field", "id_field"):
        if getattr(given, name) not in (name.partition("_")[0], [name.partition("_")[0]]):
            raise UsageError(f"{name}: name the column as dedup(..., {name.partition('_')[0]}=...)")
    if not isinstance(group, int) or group < 1:
        raise UsageError(f"group: {group!r} is no number of documents; give 1 or more")
    Worker.check(given)
    columns = {"id": id, "place": order or id, "text": text}
    if given.keep.partition(":")[2]:
        columns["field"] = given.keep.partition(":")[2]
    read, items = _of_columns(documents, columns, given, False), None
    # Refuses a column by which no document can stay.
    preference_of(given, read)
    _check_about_against(given, against is not None)
    if given.leak_action in IN_PLACE and text not in documents.columns:
        raise UsageError(f"leak_action: {given.leak_action} changes a column, and {text} is a field of one; select it as a column of its own before")
    if against is not None:
        other = {**columns, "id": given.against_id_field or id, "text": (given.against_text_field or [text])[0]}
        other["place"] = order or other["id"]
        if columns.get("field") not in against.columns:
            other.pop("field", None)
        for setting, field in guards_of(given):
            kinds = [kind_of(frame, field).simpleString() for frame in (against, documents)]
            if kinds[0] != kinds[1]:
                raise UsageError(f"{setting}: the column {field} of against is of type {kinds[0]}, and that of the documents of type {kinds[1]}; cast one of them")
        for name in ("id", "text"):
            if other[name].partition(".")[0] not in against.columns:
                raise UsageError(f"against: no column {other[name]}; there are {', '.join(against.columns)}; name it by against_{name}_field=")
        compared_with = _of_columns(against, other, given, True)
        read = _on_two_sides(read, compared_with)
        items = items_of(compared_with, given)
    if isinstance(given.stats, str):
        # The file need not be where the workers are.
        given = given.replace(stats=Stats.load(given.stats))
    if given.needs_statistics:
        given = given.replace(stats=statistics_of(read, given))
    Worker(given)
    # What is held goes where a step fails.
    with short_plans(documents.sparkSession), ExitStack() as frames:
        return _deduplicated(documents, text, id, read, items, given, group, against is not None, frames)


def _deduplicated(
    documents: DataFrame,
    text: str,
    id: str,
    read: DataFrame,
    items: pyarrow.Table | None,
    given: Config,
    group: int,
    with_against: bool,
    frames: ExitStack,
) -> Deduplication:
    """The steps of a run. `read` has the documents of both sides, and `items` those that are looked for inside of others. What the result needs is
    held in `frames`, which it takes over."""
    from pyspark.sql import functions as f

    prints, count = prints_of(read, given, items, frames)
    best, several = best_of(prints, given, frames)
    # Where it is bounded what may be lost, but for two sides, of which one stays.
    prefers = given.max_lost is not None and not with_against
    with ExitStack() as meanwhile:
        candidates = candidates_of(best, given, group, with_against, meanwhile)
        preferred = _preferred(several) if prefers else None
        found = computed(decided(read, best, preferred, candidates, given, meanwhile), frames)
    stays = _stays(best, several, found) if prefers else best
    # Of equal values none is a pair where these must differ.
    removed = _removed(prints, stays, several, found.where("removed and better != other"), with_against, not given.differ)
    passages, action = _passages(prints, items), given.leak_action
    if passages is not None and action == "remove":
        removed = removed.unionByName(_holders(prints, best, removed, passages, given))
    clustered = computed(removed, frames)
    removed = clustered.limit(0) if action == "list" else clustered
    gone = removed.select(f.col("id").alias("_removed"))
    kept = documents.join(gone, column_of(documents, id) == gone["_removed"], "left_anti")
    if passages is not None and action in IN_PLACE:
        kept = without_passages(kept, text, id, passages, action)
    pairs = _pairs(prints, best, found.where("not removed"), with_against, not given.differ)
    clusters = _clusters(prints, clustered, with_against)
    leaks = _leaks(clustered if with_against else clustered.limit(0), passages, action)
    return Deduplication(kept, removed.drop("place"), leaks, clusters, pairs, count, frames.pop_all())


def _preferred(several: DataFrame) -> DataFrame:
    """Of documents that are there several times the preferred one, where it is not the best."""
    from pyspark.sql import functions as f

    rows = several.select(f.col("_hash").alias("hash"), "preferred.*", f.col("best.id").alias("best"))
    return rows.select("*", "rank.id", f.lit(False).alias("against")).where("id != best")


def _stays(best: DataFrame, several: DataFrame, found: DataFrame) -> DataFrame:
    """The document (hash, id, against) of each hash that stays if one does: the preferred one, but where a row says that this goes for the best one."""
    from pyspark.sql import functions as f

    not_preferred = found.where("removed and better = other").select(f.col("better").alias("hash"))
    preferred = several.select(f.col("_hash").alias("hash"), f.col("preferred.rank.id").alias("preferred")).join(not_preferred, "hash", "left_anti")
    return best.join(preferred, "hash", "left").select("hash", f.coalesce("preferred", "id").alias("id"), "against")


def _check_about_against(config: Config, with_against: bool) -> None:
    """Refuses settings about the other side that cannot be carried out."""
    usual = Config()
    about = ("against_text_field", "against_id_field", "leak_action", *(["min_leak_length"] if config.min_leak_length != "off" else []))
    for name in about:
        if not with_against and getattr(config, name) != getattr(usual, name):
            raise UsageError(f"{name}: is about what documents are compared with, and there is nothing; name it by against=")
    if len(config.against_text_field or []) > 1:
        raise UsageError("against_text_field: is one column on Spark; join several by concat_ws")
    if config.against_id_field == "off":
        raise UsageError("against_id_field: documents on Spark have ids; name their column")


def _of_columns(documents: DataFrame, columns: dict[str, str], config: Config, against: bool) -> DataFrame:
    """The documents as they are worked on: against, id, place, text, perhaps field and guards."""
    from pyspark.sql import functions as f

    chosen = [f.lit(against).alias("against"), *[column_of(documents, name).alias(own) for own, name in columns.items()]]
    values = values_of(documents, config)
    read = documents.select(*chosen, *([] if values is None else [values.alias("guards")]))
    kind = read.schema["text"].dataType.typeName()
    if kind not in ("string", "binary"):
        raise UsageError(f"text: the column {columns['text']} is of type {kind}; make it a string")
    return read


# What the columns that are read are called.
WORDS = {"id": "id", "place": "order", "text": "text"}


def _on_two_sides(own: DataFrame, other: DataFrame) -> DataFrame:
    """The documents of both sides; where the other one lacks a column, null."""
    for name in ("id", "place", "text"):
        kinds = [frame.schema[name].dataType.simpleString() for frame in (own, other)]
        if kinds[0] != kinds[1]:
            raise UsageError(f"against: the column of the {WORDS[name]} is of type {kinds[1]}, and that of the documents of type {kinds[0]}; cast one of them")
    return own.unionByName(other, allowMissingColumns=True)


def _removed(prints: DataFrame, stays: DataFrame, several: DataFrame, links: DataFrame, with_against: bool, copies_go: bool) -> DataFrame:
    """The removed documents: each goes as the others of its hash do, or for the one of them that `stays`. `several` has the hashes that are there
    several times."""
    from pyspark.sql import functions as f

    # A text that is there once goes only if a link removes it.
    may_go = several.select(f.col("_hash").alias("hash")).unionAll(links.select(f.col("other").alias("hash")))
    links = links.drop("removed").join(stays.select(f.col("hash").alias("better"), f.col("id").alias("keeper")), "better").drop("better")
    rows = prints.where("not empty and not against").select("id", "place", "hash").join(may_go, "hash", "left_semi")
    of_hash = stays.select("hash", f.col("id").alias("stays"), f.col("against").alias("stays_against")).join(may_go, "hash", "left_semi")
    rows = rows.join(of_hash, "hash").join(links.withColumnRenamed("other", "hash"), "hash", "left")
    is_linked = f.col("keeper").isNotNull()
    # Documents of one side are not compared where there are two.
    is_copy = f.lit(copies_go) & (f.col("stays_against") if with_against else f.col("id") != f.col("stays"))
    rows = rows.where(is_linked | is_copy)

    def of(link: str, otherwise: Any) -> Column:
        return f.when(is_linked, f.col(link)).otherwise(f.lit(otherwise)).alias(link)

    evidence = [of("similarity", 1.0), of("reason", "exact"), of("distance", 0), of("lost", 0.0)]
    return rows.select("id", f.coalesce("keeper", "stays").alias("keeper"), *evidence, "place")


def _passages(prints: DataFrame, items: pyarrow.Table | None) -> DataFrame | None:
    """The places where items stand in documents: id, item (its id), number (of the item), first, last, similarity; none where none were looked for."""
    from pyspark.sql import functions as f

    if items is None or items.num_rows == 0:
        return None
    spark = prints.sparkSession
    kind = prints.schema["id"].dataType.simpleString()
    named = spark.createDataFrame(list(enumerate(items["id"].to_pylist())), f"number int, item {kind}")
    leaks = prints.where("not against").select("id", f.explode("leaks").alias("leak"))
    leaks = leaks.select("id", f.col("leak.item").alias("number"), "leak.first", "leak.last", "leak.similarity")
    return leaks.join(named, "number")


def _holders(prints: DataFrame, best: DataFrame, removed: DataFrame, passages: DataFrame, config: Config) -> DataFrame:
    """Documents that go for an item that stands in them: the one that is most like its passage, of several the first; equal items are one. None goes of
    which too much stands beside each."""
    from pyspark.sql import functions as f

    leak = f.struct((-f.col("similarity")).alias("unlike"), "number", "first", "last", "item")
    beside = 1.0 - (f.col("last") - f.col("first") + 1) / f.col("characters")
    if config.max_lost is not None:
        passages = passages.join(prints.where("not against").select("id", "characters"), "id").where(beside <= config.max_lost)
    holders = passages.groupBy("id").agg(f.min(leak).alias("leak")).join(removed.select("id"), "id", "left_anti")
    hash_of_item = prints.where("against and not empty").select(f.col("id").alias("item"), "hash")
    best_item = hash_of_item.join(best.where("against").select("hash", f.col("id").alias("keeper")), "hash").drop("hash")
    own = prints.where("not against").select("id", "place", "characters")
    rows = holders.select("id", "leak.*").join(best_item, "item").join(own, "id")
    similarity, lost = (-f.col("unlike")).alias("similarity"), f.greatest(f.lit(0.0), beside).alias("lost")
    no_distance = f.lit(None).cast("int").alias("distance")
    return rows.select("id", "keeper", similarity, f.lit("contains").alias("reason"), no_distance, lost, "place")


# What becomes of a passage whose document stays.
ACTIONS = {"remove": "listed", "mask": "masked", "cut": "cut", "list": "listed"}


def _leaks(clustered: DataFrame, passages: DataFrame | None, action: str) -> DataFrame:
    """Documents that are duplicates of an item, and the passages of others."""
    from pyspark.sql import functions as f

    goes = f.lit("listed" if action == "list" else "removed")
    whole = clustered.where("reason != 'contains'")
    nowhere = [f.lit(None).cast("int").alias(name) for name in ("first", "last")]
    listed = whole.select("id", f.col("keeper").alias("item"), "reason", "similarity", *nowhere, goes.alias("action"))
    if passages is None:
        return listed
    # What is listed for the whole document is not listed for its passages again.
    others = passages.join(whole.select("id", f.col("keeper").alias("item")), ["id", "item"], "left_anti")
    gone = clustered.select("id", goes.alias("gone"))
    done = f.coalesce("gone", f.lit(ACTIONS[action])).alias("action")
    others = others.join(gone, "id", "left").select("id", "item", f.lit("contains").alias("reason"), "similarity", "first", "last", done)
    return listed.unionByName(others)


def _clusters(prints: DataFrame, removed: DataFrame, with_against: bool) -> DataFrame:
    from pyspark.sql import functions as f
    from pyspark.sql.window import Window

    members = removed.select("keeper", f.struct(f.lit(1).alias("side"), "place", "id").alias("member"))
    keepers = prints.where("against" if with_against else "not against").select(f.col("id").alias("keeper"), "place")
    side = f.lit(0 if with_against else 1).alias("side")
    keepers = keepers.join(removed.select("keeper").distinct(), "keeper", "left_semi")
    members = members.unionAll(keepers.select("keeper", f.struct(side, "place", f.col("keeper").alias("id")).alias("member")))
    clusters = members.groupBy("keeper").agg(f.array_sort(f.collect_list("member")).alias("listed"))
    # One task numbers them, so that it gets no lists.
    first = members.groupBy("keeper").agg(f.min("member").alias("first"))
    numbers = first.select("keeper", f.row_number().over(Window.orderBy("first")).alias("cluster"))
    return clusters.join(numbers, "keeper").select("cluster", "keeper", f.size("listed").alias("size"), f.col("listed.id").alias("members"))


def _pairs(prints: DataFrame, best: DataFrame, pairs: DataFrame, with_against: bool, copies_go: bool) -> DataFrame:
    from pyspark.sql import functions as f

    end = f.struct((~f.col("against")).alias("own"), "place", "id")
    ids = best.select("hash", end.alias("end"))
    near = pairs.join(ids.toDF("better", "one"), "better").join(ids.toDF("other", "two"), "other")
    near = near.select("one", "two", "distance", "similarity", "reason")
    if not copies_go:
        prints = prints.limit(0)
    copies = prints.where("not empty").select("hash", "id", "against", end.alias("two"))
    copies = copies.join(ids.toDF("hash", "one"), "hash")
    copies = copies.where("not one.own and not against" if with_against else "id != one.id")
    exact = [f.lit(0).alias("distance"), f.lit(1.0).alias("similarity"), f.lit("exact").alias("reason")]
    all_pairs = near.unionByName(copies.select("one", "two", *exact))
    left, right = f.least("one", "two").alias("left"), f.greatest("one", "two").alias("right")
    return all_pairs.select(left["id"].alias("left"), right["id"].alias("right"), "distance", "similarity", "reason")
