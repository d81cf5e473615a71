"""Records -> near pairs of documents of different text, and hubs: documents in very many of
them."""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.compute

from nearprint import Config
from nearprint._nearprint import HUB_PAIRS, SHORT_HUB, Worker
from nearprint.spark.batches import by_group, computed, held
from nearprint.spark.guards import columns_of_guards
from nearprint.spark.radius import within_radius

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PAIR = "left binary, right binary, distance int, kind string"
OF_HUBS = "left binary, right binary"


@dataclass
class Candidates:
    """Rows of PAIR, by the hashes of documents. Pairs of the kinds `connects` and `short hub`
    connect all documents that may be duplicates, directly or over others. Near pairs are those of
    the kinds `connects` and `near`; both documents of a `short hub` are short with very many
    duplicates, whose pairs are not listed."""

    pairs: DataFrame
    #: Rows of PAIR of two documents of `against`: for each one in the pairs at least three near
    #: ones, or all if there are fewer.
    within_against: DataFrame | None
    #: The documents (hash) with a fingerprint whose pairs are not all listed, if there are any.
    hubs: DataFrame | None
    #: Rows of OF_HUBS: whom these connect.
    of_hubs: DataFrame | None
    #: The documents that were searched by their fingerprints, and how many of them the others are
    #: only compared with, if they are.
    documents: int
    against: int | None
    #: The settings, with the distances that were searched to.
    config: Config


def candidates_of(
    documents: DataFrame,
    best: DataFrame,
    config: Config,
    group: int,
    with_against: bool,
    frames: ExitStack,
) -> Candidates:
    """The candidate pairs of the best records of documents; with two sides, only pairs across them.
    `frames` holds them."""
    from pyspark.sql import functions as f

    guards = columns_of_guards(best)
    few = best.where("letters is not null").select(
        "hash", "short", "letters", "figures", *guards, "against"
    )
    sides = (
        best.groupBy("against")
        .agg(f.count("fingerprint").alias("searched"), f.count("letters").alias("few"))
        .collect()
    )
    counts, counts_of_few = (
        {row["against"]: row[name] for row in sides} for name in ("searched", "few")
    )
    count, against = sum(counts.values()), counts.get(True, 0) if with_against else None
    with_fingerprint = best.where("fingerprint is not null")
    searched = with_fingerprint.select("hash", "fingerprint", "sketch", *guards, "against")
    reached = within_radius(documents, with_fingerprint, config, count, against)
    # Hubs are defined by the usual distance.
    lists_all = reached != config

    def make() -> Worker:
        return Worker(reached, lists_all=lists_all)

    def near(worker: Worker, *groups: pyarrow.Table) -> Any:
        return worker.candidates(count, against, *groups)

    def hubs_of(worker: Worker, *groups: pyarrow.Table) -> Any:
        return worker.hubs(count, *groups)

    def short(worker: Worker, *groups: pyarrow.Table) -> Any:
        return worker.short_candidates(with_against, *groups)

    found = _of_each_two_groups(searched, counts, group, with_against, make, near)
    if sum(counts_of_few.values()) > 0:
        found = found.unionByName(
            _of_each_two_groups(few, counts_of_few, group, with_against, make, short)
        )
    found = computed(found, frames)
    pairs = found.where("kind != 'hub'")
    hubs = of_hubs = None
    worker = make()
    if worker.has_hubs(with_against):
        # Pairs that guards forbid count too.
        of_each = found.where("distance is not null and kind != 'hub'")
        of_each = of_each.select(f.col("left").alias("hash")).unionAll(of_each.select("right"))
        hubs = of_each.groupBy("hash").count().where(f"count > {HUB_PAIRS}").select("hash")
        hubs = hubs.unionAll(found.where("kind = 'hub'").select("left")).distinct()
        hubs = held(hubs, frames)
        size = hubs.count()
        if size > 0:
            of_hubs = _of_each_two_groups(
                searched.join(hubs, "hash", "left_semi"),
                {False: size},
                group,
                False,
                make,
                hubs_of,
                OF_HUBS,
            )
            of_hubs = computed(of_hubs, frames)
        else:
            hubs = None
    if worker.has_short_hubs(with_against):
        # The longer text of a pair comes first.
        longer = (
            pairs.where("distance is null and kind != 'short hub'")
            .groupBy("left")
            .count()
            .where(f"count > {SHORT_HUB}")
        )
        no_distance = f.lit(None).cast("int").alias("distance")
        pairs = pairs.unionAll(
            longer.select(
                "left", f.col("left").alias("right"), no_distance, f.lit("short hub").alias("kind")
            )
        )
    within = None
    if against and config.verify == "coverage":
        within = computed(_within_against(found, searched, against, group, make, frames), frames)
    return Candidates(pairs, within, hubs, of_hubs, count, against, reached)


def _within_against(
    found: DataFrame, searched: DataFrame, against: int, group: int, make: Any, frames: ExitStack
) -> DataFrame:
    """For each document of `against` in one of the pairs: its near pairs within `against`, up to
    three in each group."""
    from pyspark.sql import functions as f

    near = (
        found.where("distance is not null")
        .select(f.explode(f.array("left", "right")).alias("hash"))
        .distinct()
        .withColumn("asked", f.lit(True))
    )
    all_of_it = held(searched.where("against").drop("against").join(near, "hash", "left"), frames)
    count = all_of_it.where("asked").count()

    def neighbors(worker: Worker, own: pyarrow.Table, others: pyarrow.Table) -> Any:
        return worker.neighbors(count, against, own, others)

    # Queries are on both sides.
    sides = f.when(f.col("asked"), f.array(f.lit(True), f.lit(False))).otherwise(
        f.array(f.lit(False))
    )
    both = all_of_it.select("*", f.explode(sides).alias("against")).drop("asked")
    return _of_each_two_groups(both, {True: count, False: against}, group, True, make, neighbors)


def _of_each_two_groups(
    records: DataFrame,
    counts: dict[bool, int],
    group: int,
    with_against: bool,
    make: Any,
    near: Any,
    schema: str = PAIR,
) -> DataFrame:
    """The results of `near` for each two groups of records. Each side is spread by hash over groups
    of about this size; with `against`, groups of the two sides meet."""
    from pyspark.sql import functions as f

    groups = {side: max(1, math.ceil(counts.get(side, 0) / group)) for side in (True, False)}
    columns = [name for name in records.columns if name != "against"]

    def of_groups(worker: Worker, rows: pyarrow.Table) -> Any:
        first = rows["one"][0].as_py()
        is_first = pyarrow.compute.equal(rows["group"], first)
        sides = [rows.filter(is_first), rows.filter(pyarrow.compute.invert(is_first))]
        if with_against or rows["other"][0].as_py() != first:
            return near(worker, *[side.select(columns) for side in sides])
        return near(worker, sides[0].select(columns))

    def of_side(side: bool) -> DataFrame:
        # Groups of the other side have negative numbers.
        number = f.pmod(f.xxhash64("hash"), f.lit(groups[side])).cast("int")
        own = (-number - 1 if side else number).alias("group")
        spread = records.where(f.col("against") == side).select(*columns, own)
        with_groups = range(-groups[True], 0) if with_against and not side else range(groups[False])
        return spread.withColumn(
            "with", f.explode(f.array(*[f.lit(number) for number in with_groups]))
        )

    spread = of_side(False).unionAll(of_side(True)) if with_against else of_side(False)
    ends = [f.least("group", "with").alias("one"), f.greatest("group", "with").alias("other")]
    parts = (
        groups[True] * groups[False] if with_against else groups[False] * (groups[False] + 1) // 2
    )
    return by_group(
        spread.select(*columns, "group", *ends), ["one", "other"], parts, make, of_groups, schema
    )
