"""Documents of a DataFrame -> those that stay, and why each other one goes.

Ids, hashes and fingerprints travel; texts go to the judge for candidates alone. Every heavy step is a function of the package over Arrow
batches, and each of them depends on its rows alone, so that retries and partitions change nothing:

1. a text -> its print: the hash of its normalized text, its fingerprint or, of a short one, its characters;
2. prints of equal hash are folded into the best of them;
3. prints with fingerprints are spread over groups by their hashes; each two groups are joined by the plan for the number of all;
4. the texts of candidates are compared; those of duplicates once more, in the company of the documents that are near them;
5. documents settle from the best to the worst on the driver, which holds the duplicate pairs: up to a kilobyte each.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.compute

from nearprint import Config, Stats, UsageError
from nearprint._nearprint import (
    COMPANY,
    check_distributed,
    near_pairs,
    prints_of,
    short_pairs,
    star_keepers,
    verdicts_of,
)
from nearprint.deduplication import settings_of
from nearprint.spark.batches import beside, by_batch, by_group

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Fingerprints of a group: two of them and their tables take some hundred bytes each in a worker.
GROUP = 1 << 19

PRINT = "hash binary, characters int, empty boolean, short boolean, fingerprint binary, letters string, figures binary"
PAIR = "left binary, right binary, distance int"
VERDICT = "better binary, other binary, distance int, similarity double, reason string, lost double"


class Deduplication:
    """What became of the documents of a DataFrame."""

    def __init__(self, kept: DataFrame, removed: DataFrame, clusters: DataFrame, pairs: DataFrame, held: list[DataFrame]):
        self._held = held
        #: The rows that stay, as they were.
        self.kept = kept
        #: A row for each other document: ``id``, ``keeper``, ``similarity`` (0 to 1), ``reason`` (``exact``, ``near``, ``contained`` or
        #: ``short``), ``distance`` in bits, ``lost``: the share of it that stands nowhere in its keeper.
        self.removed = removed
        #: A row for each keeper that others go for: ``cluster``, ``keeper``, ``size``, ``members``, in the order of the documents.
        self.clusters = clusters
        #: The duplicate pairs: ``left``, ``right``, ``distance``, ``similarity``, ``reason``; of equal texts those with the best of them.
        self.pairs = pairs

    @property
    def summary(self) -> dict[str, Any]:
        """The run in numbers: the documents ``read``, ``kept`` and ``removed``, and of these the ones that are removed as ``exact``, ``near``,
        ``contained`` and ``short``."""
        reasons = dict.fromkeys(("exact", "near", "contained", "short"), 0)
        reasons.update((row["reason"], row["count"]) for row in self.removed.groupBy("reason").count().collect())
        read, removed = self._held[0].count(), sum(reasons.values())
        return {"read": read, "kept": read - removed, "removed": removed, **reasons}

    def unpersist(self) -> None:
        """Gives back the memory of what was held. The DataFrames can still be asked for, and are computed anew then."""
        for frame in self._held:
            frame.unpersist()


def dedup(
    documents: DataFrame,
    *,
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
    text, id
        The columns of the text, strings or UTF-8 bytes, and of the id, a string or a number; neither is null, and each id is there once.
    order
        The column by which documents come one after the other, where that decides: of equal candidates for a keeper the first one stays.
        By default they are ordered by their ids, strings as texts: ``"10"`` before ``"9"``. With the number of each row in its file the answers
        are those of ``nearprint dedup`` on that file.
    group
        Fingerprints that are joined together at most. It changes nothing but memory and time: a worker holds two groups, some 200 bytes for
        each fingerprint.
    config, **settings
        Those of ``nearprint.dedup``. ``UsageError`` for guards (``same``, ``differ``), ``cluster``, ``max_lost``, ``recall`` and
        ``distance="edit"``, which a run in parts does not know.
    """
    from pyspark.sql import functions as f

    given = Config(config, **settings_of(settings))
    for name in ("text_field", "id_field"):
        if getattr(given, name) not in (name.partition("_")[0], [name.partition("_")[0]]):
            raise UsageError(f"{name}: name the column as dedup(..., {name.partition('_')[0]}=...)")
    if not isinstance(group, int) or group < 1:
        raise UsageError(f"group: {group!r} is no number of fingerprints; give 1 or more")
    field = _keep_field(given)
    columns = {"id": id, "place": order or id, "text": text, **({"field": field} if field else {})}
    documents_read = documents.select(*[_column(documents, name).alias(own) for own, name in columns.items()])
    kind = documents_read.schema["text"].dataType.typeName()
    if kind not in ("string", "binary"):
        raise UsageError(f"text: the column {text} is of type {kind}; make it a string")
    if given.needs_statistics:
        given = given.replace(stats=_statistics(documents_read, given))
    check_distributed(given)

    def prints(batch: pyarrow.Table) -> pyarrow.Table:
        return beside(batch.drop(["text"]), pyarrow.table(prints_of(given, batch.select(["text"]))))

    of_text = [part for part in documents_read.schema.fields if part.name != "text"]
    schema = ", ".join(f"`{part.name}` {part.dataType.simpleString()}" for part in of_text)
    prepared = by_batch(documents_read, prints, f"{schema}, {PRINT}").persist()
    _check(prepared)
    rank = f.struct(*_rank(given, field, prepared), f.col("place"), f.col("id"))
    folded = f.min(f.struct(rank.alias("rank"), "id", "short", "fingerprint", "letters", "figures"))
    best = prepared.where("not empty").groupBy("hash").agg(folded.alias("best")).select("hash", "best.*").persist()

    candidates = _candidates(best, given, group).persist()
    links, pairs = _decided(best, _verdicts(documents_read, best, candidates, given))
    removed, clusters = _removed(prepared, best, links)
    gone = removed.select(f.col("id").alias("_removed"))
    kept = documents.join(gone, _column(documents, id) == gone["_removed"], "left_anti")
    return Deduplication(kept, removed, clusters, _pairs(prepared, best, pairs), [prepared, best, candidates])


def collected(frame: DataFrame) -> pyarrow.Table:
    """All rows, on the driver."""
    rows = [row.asDict() for row in frame.collect()]
    return pyarrow.Table.from_pylist(rows) if rows else pyarrow.table({name: [] for name in frame.columns})


def _column(documents: DataFrame, name: str) -> Column:
    """The column of a name, which may have dots and spaces; or the field of a struct."""
    from pyspark.sql import functions as f

    if name in documents.columns:
        quoted = name.replace("`", "``")
        return f.col(f"`{quoted}`")
    if name.partition(".")[0] not in documents.columns:
        raise UsageError(f"no column {name}; there are {', '.join(documents.columns)}")
    return f.col(name)


def _keep_field(config: Config) -> str | None:
    return config.keep.partition(":")[2] or None


def _rank(config: Config, field: str | None, prepared: DataFrame) -> list[Column]:
    """The columns of which the smallest values are of the document that stays, before its place."""
    from pyspark.sql import functions as f
    from pyspark.sql import types as t

    if config.keep == "longest":
        return [-f.col("characters")]
    if field is None:
        return []
    kind = prepared.schema["field"].dataType
    if isinstance(kind, (t.FloatType, t.DoubleType)):
        value = f.nanvl(f.col("field").cast("double"), f.lit(None).cast("double"))
        return [value.isNull(), -value]
    if isinstance(kind, t.IntegralType):
        # The least integer has no negative of its own type.
        return [f.col("field").isNull(), -f.col("field").cast("decimal(38,0)")]
    if isinstance(kind, (t.DateType, t.TimestampType, t.TimestampNTZType)):
        return [f.col("field").isNull(), -f.unix_micros(f.col("field").cast("timestamp"))]
    raise UsageError(f"keep: the column {field} is of type {kind.simpleString()}; make it a number, a date or a timestamp")


def _check(prepared: DataFrame) -> None:
    """Refuses documents without a text, and ids that are null or twice there."""
    from pyspark.sql import functions as f

    lacking = prepared.where("hash is null").agg(f.min("id"), f.count("*")).first()
    if lacking is not None and lacking[1] > 0:
        problem = f"{lacking[1]} documents have no text, or one that is no UTF-8, such as {lacking[0]}"
        raise UsageError(f'text: {problem}; leave them out, as by documents.where("text is not null")')

    twice = prepared.groupBy("id").count().where("count > 1 or id is null").agg(f.min("id"), f.count("*")).first()
    if twice is not None and twice[1] > 0:
        raise UsageError(f"id: {twice[1]} ids are null or those of several documents, such as {twice[0]}; give each its own")


def _statistics(documents: DataFrame, config: Config) -> Stats:
    """The statistics of the words of all documents: counted in parts, and put together on the driver."""

    def counted(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        parts = [Stats.build(batch.column(0), config=config) for batch in batches if batch.num_rows > 0]
        if parts:
            whole = reduce(lambda one, other: one.merge(other), parts)
            yield pyarrow.RecordBatch.from_pydict({"stats": [pickle.dumps(whole)]})

    parts = documents.select("text").mapInArrow(counted, "stats binary").collect()
    if not parts:
        return Stats.build(pyarrow.array([], pyarrow.string()), config=config)
    counted_parts: list[Stats] = [pickle.loads(part["stats"]) for part in parts]
    return reduce(lambda one, other: one.merge(other), counted_parts)


def _candidates(best: DataFrame, config: Config, group: int) -> DataFrame:
    """The pairs of documents of different text that are near in bits, or of which one is short: left, right, distance."""
    from pyspark.sql import functions as f

    searched = best.where("fingerprint is not null").count()
    groups = max(1, math.ceil(searched / group))

    def near(rows: pyarrow.Table) -> Any:
        one, other = rows["one"][0].as_py(), rows["other"][0].as_py()
        sides = [rows.filter(pyarrow.compute.equal(rows["group"], side)) for side in dict.fromkeys([one, other])]
        return near_pairs(config, searched, *[side.select(["hash", "fingerprint"]) for side in sides])

    own = f.pmod(f.xxhash64("hash"), f.lit(groups)).cast("int").alias("group")
    spread = best.where("fingerprint is not null").select("hash", "fingerprint", own)
    spread = spread.withColumn("with", f.explode(f.sequence(f.lit(0), f.lit(groups - 1))))
    ends = [f.least("group", "with").alias("one"), f.greatest("group", "with").alias("other")]
    spread = spread.select("hash", "fingerprint", "group", *ends)
    near_ones = by_group(spread, ["one", "other"], groups * (groups + 1) // 2, near, PAIR)
    few = best.where("letters is not null").select("hash", "short", "letters", "figures", f.lit(0).alias("one"))
    return near_ones.unionByName(by_group(few, ["one"], 1, lambda rows: short_pairs(config, rows), PAIR))


def _verdicts(documents: DataFrame, best: DataFrame, candidates: DataFrame, config: Config) -> list[Any]:
    """The duplicates among the candidates, the better one first, with their verdicts: rows of VERDICT on the driver."""
    from pyspark.sql import functions as f

    ranks = best.select("hash", "rank")
    ends = candidates.join(ranks.toDF("left", "left_rank"), "left").join(ranks.toDF("right", "right_rank"), "right")
    in_order = f.col("left_rank") < f.col("right_rank")
    better = f.when(in_order, f.col("left")).otherwise(f.col("right")).alias("better")
    other = f.when(in_order, f.col("right")).otherwise(f.col("left")).alias("other")
    ends = ends.select(better, other, "distance")
    needed = candidates.select(f.col("left").alias("hash")).union(candidates.select("right")).distinct()
    texts = documents.join(best.join(needed, "hash", "left_semi").select("id", "hash"), "id").select("hash", "text").persist()

    def verdicts(rows: pyarrow.Table) -> pyarrow.Table:
        return beside(rows.select(["better", "other", "distance"]), pyarrow.table(verdicts_of(config, rows)))

    def compared(pairs: DataFrame) -> DataFrame:
        with_texts = pairs.join(texts.toDF("better", "left_text"), "better").join(texts.toDF("other", "right_text"), "other")
        return by_batch(with_texts, verdicts, VERDICT).where("reason is not null")

    nothing = f.lit(None).cast("array<string>")
    alone = ends.withColumns({"left_company": nothing, "right_company": nothing})
    duplicates = compared(alone).persist()
    near = duplicates.where("distance is not null").select("better", "other", "distance")
    ends_of_near = near.select(f.col("better").alias("hash")).union(near.select("other")).distinct()
    company = _company(candidates.where("distance is not null"), ends_of_near, ranks, texts)
    in_company = near.join(company.toDF("better", "left_company"), "better", "left")
    in_company = in_company.join(company.toDF("other", "right_company"), "other", "left")
    found = compared(in_company).unionByName(duplicates.where("distance is null")).collect()
    texts.unpersist()
    duplicates.unpersist()
    return found


def _company(near: DataFrame, of: DataFrame, ranks: DataFrame, texts: DataFrame) -> DataFrame:
    """The texts in the company of some documents: of those that are near one the ones whose hashes begin with the least bits."""
    from pyspark.sql import functions as f

    both = near.select(f.col("left").alias("hash"), f.col("right").alias("near"))
    both = both.union(near.select(f.col("right"), f.col("left"))).join(of, "hash", "left_semi")
    both = both.join(ranks.toDF("near", "rank"), "near")
    member = f.struct(f.substring("near", 1, 4).alias("priority"), "rank", "near")
    first = f.slice(f.array_sort(f.collect_list(member)), 1, COMPANY)
    members = both.groupBy("hash").agg(first.alias("members")).select("hash", f.posexplode("members"))
    members = members.select("hash", "pos", f.col("col.near").alias("near")).join(texts.toDF("near", "text"), "near")
    in_order = f.array_sort(f.collect_list(f.struct("pos", "text")))
    return members.groupBy("hash").agg(in_order.alias("members")).select("hash", f.col("members.text").alias("company"))


def _decided(best: DataFrame, found: list[Any]) -> tuple[DataFrame, DataFrame]:
    """The verdict by which each folded document goes, with its keeper; and all verdicts."""
    from pyspark.sql import functions as f

    spark = best.sparkSession
    known = spark.createDataFrame([(end,) for end in {bytes(row[end]) for row in found for end in ("better", "other")}], "hash binary")
    in_order = best.join(known, "hash").orderBy("rank").select("hash").collect()
    places = {bytes(row["hash"]): place for place, row in enumerate(in_order)}
    pairs = {(places[bytes(row["better"])], places[bytes(row["other"])]): row for row in found}
    keepers = star_keepers(len(places), list(pairs))
    links = [pairs[keeper, place] for place, keeper in enumerate(keepers) if keeper != place]
    of_keepers = best.select(f.col("hash").alias("better"), f.col("id").alias("keeper"))
    joined = spark.createDataFrame(links, VERDICT).join(of_keepers, "better").drop("better")
    return joined.withColumnRenamed("other", "hash"), spark.createDataFrame(list(pairs.values()), VERDICT)


def _removed(prepared: DataFrame, best: DataFrame, links: DataFrame) -> tuple[DataFrame, DataFrame]:
    from pyspark.sql import functions as f
    from pyspark.sql.window import Window

    rows = prepared.where("not empty").select("id", "place", "hash")
    rows = rows.join(best.select("hash", f.col("id").alias("best")), "hash").join(links, "hash", "left")
    is_linked = f.col("keeper").isNotNull()
    rows = rows.where(is_linked | (f.col("id") != f.col("best")))

    def of(link: str, otherwise: Any) -> Column:
        return f.when(is_linked, f.col(link)).otherwise(f.lit(otherwise)).alias(link)

    keeper = f.coalesce("keeper", "best").alias("keeper")
    evidence = [of("similarity", 1.0), of("reason", "exact"), of("distance", 0), of("lost", 0.0)]
    removed = rows.select("id", keeper, *evidence)
    members = rows.select("id", "place", keeper)
    of_keepers = members.select("keeper").distinct().join(prepared.select("id", "place"), f.col("keeper") == f.col("id"))
    members = members.union(of_keepers.select("id", "place", "keeper"))
    listed = f.array_sort(f.collect_list(f.struct("place", "id")))
    clusters = members.groupBy("keeper").agg(listed.alias("listed"))
    number = f.row_number().over(Window.orderBy(f.col("listed")[0])).alias("cluster")
    return removed, clusters.select(number, "keeper", f.size("listed").alias("size"), f.col("listed.id").alias("members"))


def _pairs(prepared: DataFrame, best: DataFrame, pairs: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    ids = best.select("hash", f.struct("rank.place", "id").alias("end"))
    near = pairs.join(ids.toDF("better", "one"), "better").join(ids.toDF("other", "two"), "other")
    near = near.select("one", "two", "distance", "similarity", "reason")
    copies = prepared.where("not empty").select("hash", "id", f.struct("place", "id").alias("two"))
    copies = copies.join(ids.toDF("hash", "one"), "hash").where(f.col("id") != f.col("one.id"))
    exact = [f.lit(0).alias("distance"), f.lit(1.0).alias("similarity"), f.lit("exact").alias("reason")]
    all_pairs = near.unionByName(copies.select("one", "two", *exact))
    left, right = f.least("one", "two").alias("left"), f.greatest("one", "two").alias("right")
    return all_pairs.select(left["id"].alias("left"), right["id"].alias("right"), "distance", "similarity", "reason")
