"""DataFrames and the names of their columns -> the documents as they are worked on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow

from nearprint import Config, UsageError
from nearprint.spark.batches import column_of
from nearprint.spark.guards import guards_of, numbers_of, values_of
from nearprint.spark.leaks import items_of
from nearprint.spark.passages import IN_PLACE
from nearprint.spark.records import rank_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass
class Documents:
    """The documents of a run."""

    #: A row for each, of both sides: `against`, which says the side, `id`, `place`, which says the
    #: order, `text`, perhaps `field`, by which some stay, and `guards`.
    rows: DataFrame
    #: Whether there are two sides, of which one is only compared with.
    has_sides: bool
    #: The documents (id, text) of that side that are looked for inside of others, if any are.
    items: pyarrow.Table | None


def documents_of(
    documents: DataFrame,
    against: DataFrame | None,
    text: str,
    id: str,
    order: str | None,
    config: Config,
) -> Documents:
    """Those of two DataFrames, or of one. UsageError for columns that are not there or of another
    type, before any row is read, and for those that have no value where some must."""
    check_against(config, against is not None)
    if config.leak_action in IN_PLACE and text not in documents.columns:
        raise UsageError(
            f"leak_action: {config.leak_action} changes a column, and {text} is a field of one; select it as a column of its own before"
        )
    columns = {"id": id, "place": order or id, "text": text}
    if field := config.keep.partition(":")[2]:
        columns["field"] = field
    rows = _of_columns(documents, columns, config, False)
    # Refuses a column by which no document can stay.
    rank_of(config, rows)
    if against is None:
        _check_values(documents, config)
        return Documents(rows, False, None)
    other = {
        **columns,
        "id": config.against_id_field or id,
        "text": (config.against_text_field or [text])[0],
    }
    other["place"] = order or other["id"]
    if field and field not in against.columns and field.partition(".")[0] not in against.columns:
        del other["field"]
    remedies = {other[name]: f"name it by against_{name}_field=" for name in ("id", "text")}
    for name in [
        other["id"],
        other["text"],
        other["place"],
        *(name for _, name in guards_of(config)),
    ]:
        if name.partition(".")[0] not in against.columns and name not in against.columns:
            remedy = remedies.get(name, "both sides need it")
            raise UsageError(
                f"against: no column {name}; there are {', '.join(against.columns)}; {remedy}"
            )
    for (setting, name), *values in zip(
        guards_of(config), values_of(against, config), values_of(documents, config)
    ):
        kinds = [
            frame.select(value.alias("value")).schema["value"].dataType.simpleString()
            for frame, value in zip((against, documents), values)
        ]
        if kinds[0] != kinds[1]:
            raise UsageError(
                f"{setting}: the column {name} of against is of type {kinds[0]}, and that of the documents of type {kinds[1]}; cast one of them"
            )
    compared_with = _of_columns(against, other, config, True)
    both = _on_two_sides(rows, compared_with)
    _check_values(documents, config)
    _check_values(against, config, of_against=True)
    return Documents(both, True, items_of(compared_with, config))


def check_against(config: Config, is_there: bool) -> None:
    """Refuses settings about the other side that cannot be carried out."""
    usual = Config()
    about = (
        "against_text_field",
        "against_id_field",
        "leak_action",
        *(["min_leak_length"] if config.min_leak_length != "off" else []),
    )
    for name in about:
        if not is_there and getattr(config, name) != getattr(usual, name):
            raise UsageError(
                f"{name}: is about what documents are compared with, and there is nothing; name it by against="
            )
    if len(config.against_text_field or []) > 1:
        raise UsageError("against_text_field: is one column on Spark; join several by concat_ws")
    if config.against_id_field == "off":
        raise UsageError("against_id_field: documents on Spark have ids; name their column")


def _of_columns(
    documents: DataFrame, columns: dict[str, str], config: Config, against: bool
) -> DataFrame:
    """The documents as they are worked on: against, id, place, text, perhaps field and guards."""
    from pyspark.sql import functions as f
    from pyspark.sql import types as t

    chosen = [
        f.lit(against).alias("against"),
        *[column_of(documents, name).alias(own) for own, name in columns.items()],
    ]
    if values := values_of(documents, config):
        chosen.append(numbers_of(values).alias("guards"))
    read = documents.select(*chosen)
    for name in read.columns:
        kind = read.schema[name].dataType.simpleString()
        if name == "text" and kind not in ("string", "binary"):
            raise UsageError(
                f"text: the column {columns[name]} is of type {kind}; make it a string"
            )
        # By these documents are ordered.
        if name in ("id", "place") and (
            not isinstance(read.schema[name].dataType, t.AtomicType) or kind == "variant"
        ):
            raise UsageError(
                f"{WORDS[name]}: the column {columns[name]} is of type {kind}; make it a string or a number"
            )
    return read


def _check_values(documents: DataFrame, config: Config, of_against: bool = False) -> None:
    """Refuses a column by which all documents are alike, as none has a value."""
    named = dict(zip(guards_of(config), values_of(documents, config)))
    if (field := config.keep.partition(":")[2]) and not of_against:
        named["keep", field] = column_of(documents, field)
    for (setting, name), value in named.items():
        if (
            documents.where(value.isNotNull()).select(value).first() is None
            and documents.select(value).first() is not None
        ):
            raise UsageError(
                f"{setting}: no document {'of against ' if of_against else ''}has a value in the column {name}; name another one"
            )


# What the columns that are read are called.
WORDS = {"id": "id", "place": "order", "text": "text", "field": "keep"}


def _on_two_sides(own: DataFrame, other: DataFrame) -> DataFrame:
    """The documents of both sides; where the other one lacks a column, null."""
    for name in WORDS:
        if name not in own.columns or name not in other.columns:
            continue
        kinds = [frame.schema[name].dataType.simpleString() for frame in (own, other)]
        if kinds[0] != kinds[1]:
            raise UsageError(
                f"against: the column of the {WORDS[name]} is of type {kinds[1]}, and that of the documents of type {kinds[0]}; cast one of them"
            )
    return own.unionByName(other, allowMissingColumns=True)
