"""DataFrames and the names of their columns -> the documents in the columns of a run."""

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
    from pyspark.sql import Column, DataFrame


@dataclass
class Documents:
    """The documents of a run."""

    #: A row for each document of both sides: `against` (the side), `id`, `place` (the order),
    #: `text`, perhaps `field` (which ranks documents) and `guards`.
    rows: DataFrame
    #: True if there are two sides, one of reference documents.
    has_sides: bool
    #: The reference documents (id, text) to search inside documents, if any.
    items: pyarrow.Table | None


def documents_of(
    documents: DataFrame,
    against: DataFrame | None,
    text: list[str],
    id: str,
    order: str | None,
    config: Config,
) -> Documents:
    """The documents of one or two DataFrames. UsageError for missing columns and columns of another
    type, before any row is read, and for columns without any value that need some."""
    check_against(config, against is not None)
    if config.leak_action in IN_PLACE and (len(text) > 1 or text[0] not in documents.columns):
        raise UsageError(
            f"leak_action: {config.leak_action} changes the column of the text, and the text is "
            f"{' and '.join(text)}; join them into one column before"
        )
    columns = {"id": id, "place": order or id}
    if field := config.keep.partition(":")[2]:
        columns["field"] = field
    rows = _of_columns(documents, columns, text, config, False)
    # Refuses a column that cannot rank documents.
    rank_of(config, rows)
    if against is None:
        _check_values(documents, config)
        return Documents(rows, False, None)
    other = {**columns, "id": config.against_id_field or id}
    other["place"] = order or other["id"]
    other_text = config.against_text_field or text
    if field and field not in against.columns and field.partition(".")[0] not in against.columns:
        del other["field"]
    remedies = {name: "name it by against_text_field=" for name in other_text}
    remedies[other["id"]] = "name it by against_id_field="
    for name in [
        other["id"],
        *other_text,
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
                f"{setting}: the column {name} has type {kinds[0]} in against and type {kinds[1]} "
                "in the documents; cast one of them"
            )
    compared_with = _of_columns(against, other, other_text, config, True)
    both = _on_two_sides(rows, compared_with)
    _check_values(documents, config)
    _check_values(against, config, of_against=True)
    return Documents(both, True, items_of(compared_with, config))


def check_against(config: Config, is_there: bool) -> None:
    """Refuses settings about reference documents that Spark cannot carry out."""
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
                f"{name}: applies to reference documents, and there are none; name them with "
                "against="
            )
    if config.against_id_field == "off":
        raise UsageError("against_id_field: documents on Spark have ids; name their column")


def _of_columns(
    documents: DataFrame, columns: dict[str, str], text: list[str], config: Config, against: bool
) -> DataFrame:
    """The documents in the columns of a run: against, id, place, text, perhaps field and guards."""
    from pyspark.sql import functions as f
    from pyspark.sql import types as t

    chosen = [
        f.lit(against).alias("against"),
        *[column_of(documents, name).alias(own) for own, name in columns.items()],
        _text_of(documents, text).alias("text"),
    ]
    if values := values_of(documents, config):
        chosen.append(numbers_of(values).alias("guards"))
    read = documents.select(*chosen)
    for name in read.columns:
        kind = read.schema[name].dataType.simpleString()
        # Documents are ordered by these columns.
        if name in ("id", "place") and (
            not isinstance(read.schema[name].dataType, t.AtomicType) or kind == "variant"
        ):
            raise UsageError(
                f"{WORDS[name]}: the column {columns[name]} is of type {kind}; make it a string "
                "or a number"
            )
    return read


def _text_of(documents: DataFrame, names: list[str]) -> Column:
    """The text of a document: that of one column, or those of several, joined with a line feed;
    null if all of them are null."""
    from pyspark.sql import functions as f

    texts = [column_of(documents, name) for name in names]
    for name, text in zip(names, texts):
        kind = documents.select(text.alias("text")).schema["text"].dataType.simpleString()
        if kind not in (("string", "binary") if len(names) == 1 else ("string",)):
            raise UsageError(f"text: the column {name} is of type {kind}; make it a string")
    if len(texts) == 1:
        return texts[0]
    return f.when(f.coalesce(*texts).isNotNull(), f.concat_ws("\n", *texts))


def _check_values(documents: DataFrame, config: Config, of_against: bool = False) -> None:
    """Refuses a column without any value."""
    named = dict(zip(guards_of(config), values_of(documents, config)))
    if (field := config.keep.partition(":")[2]) and not of_against:
        named["keep", field] = column_of(documents, field)
    for (setting, name), value in named.items():
        if (
            documents.where(value.isNotNull()).select(value).first() is None
            and documents.select(value).first() is not None
        ):
            raise UsageError(
                f"{setting}: no document {'of against ' if of_against else ''}has a value in the "
                f"column {name}; name another one"
            )


# The names of columns in messages.
WORDS = {"id": "id", "place": "order", "text": "text", "field": "keep"}


def _on_two_sides(own: DataFrame, other: DataFrame) -> DataFrame:
    """The documents of both sides; null for a column that one side lacks."""
    for name in WORDS:
        if name not in own.columns or name not in other.columns:
            continue
        kinds = [frame.schema[name].dataType.simpleString() for frame in (own, other)]
        if kinds[0] != kinds[1]:
            raise UsageError(
                f"against: the column of the {WORDS[name]} has type {kinds[1]} in against and "
                f"type {kinds[0]} in the documents; cast one of them"
            )
    return own.unionByName(other, allowMissingColumns=True)
