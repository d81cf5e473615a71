"""Files -> a folder of results, on Spark: ``python -m nearprint.spark dedup INPUT... --output FOLDER``, also under ``spark-submit``."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import TYPE_CHECKING, Any

from nearprint import Config, Error, UsageError
from nearprint._nearprint import Worker
from nearprint.spark import dedup
from nearprint.spark.deduplication import GROUP
from nearprint.spark.documents import check_against

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Settings of several values.
LISTS = ("same", "differ", "stop_words", "against_text_field")

# The column in which Spark puts a line that it cannot read.
CORRUPT = "_corrupt_record"

# Flags of the command line that have no place here.
ELSEWHERE = {
    "force": "name a folder that is not there",
    "ids": "Spark has no rows of files; name a column of ids",
    "pairs": "they are Python's alone here, as Deduplication.pairs",
}

FORMATS = {".parquet": "parquet", ".json": "json", ".ndjson": "json"}

DESCRIPTION = """Finds near-duplicates on Spark. Settings are those of nearprint dedup, such as --min-similarity 0.8 or --preset paper."""


def format_of(inputs: list[str]) -> str:
    """The format of files by their names, which is the same of all; of folders Parquet."""
    names = [name.rstrip("/").rsplit("/", 1)[-1] for name in inputs]
    formats = {next((of for part, of in FORMATS.items() if part in name), "" if "." in name else "parquet") for name in names}
    if len(formats) != 1 or "" in formats:
        raise UsageError(f"format: {', '.join(names)}: name Parquet or JSON Lines files, or say --format parquet or json")
    return formats.pop()


class Once(argparse.Action):
    """A flag that is given once: of two values none is ignored."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        if getattr(namespace, self.dest) != self.default:
            raise argparse.ArgumentError(self, "cannot be used several times")
        setattr(namespace, self.dest, values)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m nearprint.spark", description=DESCRIPTION)
    verb = parser.add_subparsers(dest="verb", required=True).add_parser("dedup", description=DESCRIPTION)
    verb.add_argument("inputs", nargs="+", metavar="INPUT", help="files, folders or globs that Spark reads: Parquet or JSON Lines")
    verb.add_argument("-o", "--output", action=Once, required=True, help="where kept/, removed/ and clusters/ are written, with --against also leaks/, in the format of the input")
    verb.add_argument("--against", action="append", metavar="INPUT", help="files whose documents these are only compared with, of the same columns but for --against-text-field and --against-id-field")
    verb.add_argument("--format", action=Once, choices=["parquet", "json"], help="the format of the input [default: by the names]")
    verb.add_argument("--text-field", action=Once, default="text", help="the column of the text [default: text]")
    verb.add_argument("--id-field", action=Once, default="id", help="the column of the id [default: id]")
    verb.add_argument("--order-field", action=Once, help="the column by which documents come one after the other [default: that of the id]")
    verb.add_argument("--config", action=Once, metavar="FILE", help="settings in TOML, which flags change")
    verb.add_argument("--group", action=Once, type=int, default=GROUP, help="documents of a group: a worker holds some 1,000 bytes for each of two groups [default: %(default)s]")
    own, others = verb.parse_known_args(arguments[1:]) if arguments[:1] == ["dedup"] else (parser.parse_args(arguments), [])
    given: dict[str, list[int | float | str]] = {}
    while others:
        name = others.pop(0)
        if not name.startswith("--"):
            verb.error(f"unknown argument {name}")
        name, equals, value = name[2:].partition("=")
        if name in ELSEWHERE:
            verb.error(f"--{name} is a flag of nearprint dedup alone: {ELSEWHERE[name]}")
        if not equals and (not others or others[0].startswith("--")):
            verb.error(f"--{name} lacks a value")
        given.setdefault(name.replace("-", "_"), []).append(typed(value if equals else others.pop(0)))
    settings: dict[str, Any] = {name: values if name in LISTS else values[0] for name, values in given.items()}
    for name, values in given.items():
        if len(values) > 1 and name not in LISTS:
            verb.error(f"--{name.replace('_', '-')} cannot be used several times")
    if shared := set(own.inputs) & set(own.against or []):
        verb.error(f"--against: {shared.pop()} is an input, too, so that every document would be a duplicate of itself")

    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    try:
        # Before Spark is started.
        config = Config(own.config, **settings)
        Worker.check(config)
        check_against(config, own.against is not None)
        format = own.format or format_of([*own.inputs, *(own.against or [])])
        spark = SparkSession.builder.appName("nearprint dedup").getOrCreate()
        refuse_if_there(spark, own.output)
        documents = read(spark, format, own.inputs)
        against = read(spark, format, own.against) if own.against else None
        result = dedup(documents, against=against, text=own.text_field, id=own.id_field, order=own.order_field, group=own.group, config=config)
        for name in ("kept", "removed", "clusters", *(["leaks"] if own.against else [])):
            getattr(result, name).write.format(format).save(f"{own.output}/{name}")
        print(json.dumps(result.summary))
    except Error as error:
        print(f"nearprint: {as_flags(str(error))}", file=sys.stderr)
        return 2
    except PySparkException as error:
        said = [line for line in str(error).splitlines() if line and not line.startswith((" ", "\t", "JVM stacktrace"))]
        worker = [line for line in said if line.startswith(("nearprint.", "pyarrow.", "MemoryError", "ModuleNotFoundError"))]
        remedy = "; Python on the executors lacks it: set spark.pyspark.python" if worker and worker[0].startswith("Module") else ""
        print(f"nearprint: {(worker or said)[0]}{remedy}", file=sys.stderr)
        return 1
    return 0


def read(spark: SparkSession, format: str, inputs: list[str]) -> DataFrame:
    """The rows of files. Refuses a line that is no JSON, which Spark takes for a row without fields."""
    from pyspark.sql import functions as f

    rows = spark.read.format(format).load(inputs)
    if format == "json" and rows.columns == [CORRUPT]:
        raise UsageError(f"{', '.join(inputs)}: no line is a JSON object; give JSON Lines, or Parquet")
    if format == "json" and CORRUPT in rows.columns:
        broken = rows.select("*", f.input_file_name().alias("_file")).where(f.col(CORRUPT).isNotNull()).first()
        if broken is not None:
            raise UsageError(f"{broken['_file']}: a line is no JSON object: {broken[CORRUPT][:60]}; mend it, or leave it out")
    return rows


def as_flags(message: str) -> str:
    """A message with settings as the command line spells them."""
    config = Config()

    def flag(name: str) -> str:
        spelled = name.replace("_", "-")
        return f"--{spelled}-field" if name in ("text", "id", "order") else f"--{spelled}"

    def within(found: re.Match[str]) -> str:
        if found[1] != "against" and not hasattr(config, found[1]):
            return found[0]
        return flag(found[1]) + (" " if found["value"] not in (None, "?") else "")

    named = re.sub(r"^([\w-]+)(?=: )", lambda found: flag(found[1]), message)
    return re.sub(r"\b([a-z_]+)=(?=(?P<value>\S)?)", within, named)


def refuse_if_there(spark: SparkSession, output: str) -> None:
    """Refuses a folder that is there before the work, and not after it."""
    from pyspark.errors import AnalysisException

    try:
        # This lists the folder, and reads no file. Spark asks more of one path than of two, and warns where it is not there.
        name = re.sub(r"([][*?{}\\])", r"\\\1", output)
        _ = spark.read.format("binaryFile").option("recursiveFileLookup", True).load([name, name]).schema
    except AnalysisException as error:
        if "PATH_NOT_FOUND" in str(error):
            return
        raise
    raise UsageError(f"output: {output} is there already; name a folder that is not")


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
