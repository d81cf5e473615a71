"""Documents that one machine decides in seconds -> the decisions, by the engine on the driver."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.compute

import nearprint
from nearprint import Config, NearprintWarning
from nearprint.spark.batches import collected, of_table
from nearprint.spark.documents import Documents
from nearprint.spark.guards import guards_of
from nearprint.spark.records import rank_of
from nearprint.spark.results import EVIDENCE, Decisions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from nearprint.progress import ProgressFunction


def decided_on_driver(
    read: Documents, records: DataFrame, config: Config, report: ProgressFunction | None
) -> Decisions:
    """The decisions of `nearprint.dedup`. Spark orders and ranks the documents and makes numbers of
    guards, so that values of all types count as they do on executors."""
    from pyspark.sql import functions as f
    from pyspark.sql.window import Window

    guards = [f"guard_{place}" for place in range(len(guards_of(config)))]
    known = records.select(
        "against",
        "id",
        *[f.col("guards")[place].alias(name) for place, name in enumerate(guards)],
        f.row_number().over(Window.orderBy("place", "id")).alias("order"),
        # The document to keep has the smallest values.
        (-f.row_number().over(Window.orderBy(*rank_of(config, records)))).alias("rank"),
    )
    texts = read.rows.select("against", "id", "text")
    rows = collected(texts.join(f.broadcast(known), ["against", "id"])).sort_by("order")
    own, other = rows.filter(pyarrow.compute.invert(rows["against"])), rows.filter(rows["against"])
    same = len(config.same or [])
    given = config.replace(
        keep="highest:rank",
        same=guards[:same],
        differ=guards[same:],
        recall_sample="off",
        just_missed="off",
    )
    if read.has_sides:
        given = given.replace(against_text_field="text", against_id_field="off")
    with warnings.catch_warnings():
        # A run on executors gives no warnings either.
        warnings.simplefilter("ignore", NearprintWarning)
        result: Any = nearprint.dedup(
            own.drop(["id"]),
            against=other.drop(["id"]) if read.has_sides else None,
            id="off",
            progress=report or False,
            config=given,
        )
    kind = records.schema["id"].dataType.simpleString()
    ids, keepers = own["id"], (other if read.has_sides else own)["id"]

    def frame(**columns: tuple[Any, str]) -> DataFrame:
        """A DataFrame of columns, each with its type."""
        table = pyarrow.table({name: column for name, (column, _) in columns.items()})
        schema = ", ".join(f"{name} {type}" for name, (_, type) in columns.items())
        return of_table(records.sparkSession, table, schema)

    def id_of(rows: Any) -> tuple[Any, str]:
        return ids.take(rows), kind

    def keeper_of(rows: Any) -> tuple[Any, str]:
        return keepers.take(rows), kind

    removed, leaks, clusters = result.removed, result.leaks, result.clusters
    members = [
        [*([keepers[keeper]] if read.has_sides else []), *[ids[row] for row in rows]]
        for keeper, rows in zip(clusters["keeper_row"].to_pylist(), clusters["rows"].to_pylist())
    ]
    listed = frame(
        id=id_of(leaks["id"]),
        item=keeper_of(leaks["item"]),
        reason=(leaks["reason"], "string"),
        similarity=(leaks["similarity"], "double"),
        first=(leaks["first"], "int"),
        last=(leaks["last"], "int"),
        action=(leaks["action"], "string"),
    )

    def pairs() -> DataFrame:
        found = result.pairs
        return frame(
            left=keeper_of(found["left"]),
            right=id_of(found["right"]),
            **{
                name: (found[name], EVIDENCE[name]) for name in ("distance", "similarity", "reason")
            },
        )

    reasons = pyarrow.compute.value_counts(removed["reason"]).to_pylist()
    return Decisions(
        removed=frame(
            id=id_of(removed["row"]),
            keeper=keeper_of(removed["keeper_row"]),
            **{name: (removed[name], type) for name, type in EVIDENCE.items()},
        ),
        leaks=listed,
        clusters=frame(
            cluster=(clusters["cluster"], "int"),
            keeper=keeper_of(clusters["keeper_row"]),
            size=(clusters["size"], "int"),
            members=(pyarrow.array(members, pyarrow.list_(ids.type)), f"array<{kind}>"),
        ),
        pairs=pairs,
        passages=listed.where("action in ('masked', 'cut')"),
        reasons={reason["values"]: reason["counts"] for reason in reasons},
        max_distance=result.summary["max_distance"],
    )
