"""Files -> a folder of results, on Spark: ``python -m nearprint.spark dedup INPUT... --output FOLDER``, also under ``spark-submit``."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from nearprint import Error
from nearprint.spark import dedup

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DESCRIPTION = """Finds near-duplicates on Spark. Settings are those of nearprint dedup, such as --min-similarity 0.8 or --preset paper."""


def read(spark: SparkSession, inputs: list[str], format: str | None) -> tuple[str, DataFrame]:
    """The format and the documents of Parquet files or JSON Lines, by the endings of their names where no format is said."""
    if format is None:
        format = "parquet" if all(".parquet" in name or "." not in name.rsplit("/", 1)[-1] for name in inputs) else "json"
    return format, spark.read.format(format).load(inputs)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m nearprint.spark", description=DESCRIPTION)
    verb = parser.add_subparsers(dest="verb", required=True).add_parser("dedup", description=DESCRIPTION)
    verb.add_argument("inputs", nargs="+", metavar="INPUT", help="files, folders or globs that Spark reads: Parquet or JSON Lines")
    verb.add_argument("-o", "--output", required=True, help="where kept/, removed/ and clusters/ are written, in the format of the input")
    verb.add_argument("--format", choices=["parquet", "json"], help="the format of the input [default: by the names]")
    verb.add_argument("--text-field", default="text", help="the column of the text [default: text]")
    verb.add_argument("--id-field", default="id", help="the column of the id [default: id]")
    verb.add_argument("--order-field", help="the column by which documents come one after the other [default: that of the id]")
    own, others = verb.parse_known_args(arguments[1:]) if arguments[:1] == ["dedup"] else (parser.parse_args(arguments), [])
    settings: dict[str, Any] = {}
    while others:
        name = others.pop(0)
        if not name.startswith("--"):
            verb.error(f"unknown argument {name}")
        name, equals, value = name[2:].partition("=")
        if not equals and not others:
            verb.error(f"--{name} lacks a value")
        settings[name.replace("-", "_")] = typed(value if equals else others.pop(0))

    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("nearprint dedup").getOrCreate()
    format, documents = read(spark, own.inputs, own.format)
    try:
        result = dedup(documents, text=own.text_field, id=own.id_field, order=own.order_field, **settings)
    except Error as error:
        print(f"nearprint: {error}", file=sys.stderr)
        return 2
    for name in ("kept", "removed", "clusters"):
        getattr(result, name).write.format(format).save(f"{own.output}/{name}")
    print(json.dumps(result.summary))
    return 0


def typed(value: str) -> int | float | str:
    """A value as settings have it: a number where it is one."""
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            pass
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
