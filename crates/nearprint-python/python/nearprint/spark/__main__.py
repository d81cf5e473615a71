"""Files -> a folder of results, on Spark: ``python -m nearprint.spark dedup INPUT... --output
FOLDER``, also under ``spark-submit``."""

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

# Settings of several values, and those of the name of a column: they are texts, also where these
# are digits.
LISTS = ("same", "differ", "stop_words", "against_text_field")
TEXTS = (*LISTS, "against_id_field", "keep", "stats", "tmp_dir")

# Settings that are on where no value is said.
SWITCHES = ("hmm", "han_only")

# The column in which Spark puts a line that it cannot read.
CORRUPT = "_corrupt_record"

# Flags of the command line that have no place here.
ELSEWHERE = {
    "--force": "name a folder that is not there",
    "--ids": "Spark has no rows of files; name a column of ids",
    "--pairs": "they are Python's alone here, as Deduplication.pairs",
    "--tokens-field": "on Spark nearprint makes the tokens itself",
}

FORMATS = {".parquet": "parquet", ".json": "json", ".ndjson": "json"}

DESCRIPTION = """Finds near-duplicates on Spark. Settings are those of nearprint dedup, such as --min-similarity 0.8 or --preset paper."""


def format_of(inputs: list[str]) -> str:
    """The format of files by their names, which is the same of all; of folders Parquet."""
    names = [name.rstrip("/").rsplit("/", 1)[-1] for name in inputs]
    formats = {
        next((of for part, of in FORMATS.items() if part in name), "" if "." in name else "parquet")
        for name in names
    }
    if len(formats) != 1 or "" in formats:
        raise UsageError(
            f"format: {', '.join(names)}: name Parquet or JSON Lines files, or say --format parquet or json"
        )
    return formats.pop()


class Once(argparse.Action):
    """A flag that is given once: of two values none is ignored."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest) != self.default:
            raise argparse.ArgumentError(self, "cannot be used several times")
        setattr(namespace, self.dest, values)


def parser_of() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m nearprint.spark", description=DESCRIPTION, allow_abbrev=False
    )
    verb = parser.add_subparsers(dest="verb", required=True).add_parser(
        "dedup", description=DESCRIPTION, allow_abbrev=False
    )
    verb.add_argument(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help="files, folders or globs that Spark reads: Parquet or JSON Lines",
    )
    verb.add_argument(
        "-o",
        "--output",
        action=Once,
        required=True,
        help="where removed/, clusters/ and kept/ are written, with --against also leaks/, in the format of the input",
    )
    verb.add_argument(
        "--against",
        action="append",
        metavar="INPUT",
        help="files whose documents these are only compared with, of the same columns but for --against-text-field and --against-id-field",
    )
    verb.add_argument(
        "--format",
        action=Once,
        choices=["parquet", "json"],
        help="the format of the input [default: by the names]",
    )
    verb.add_argument("--text-field", action=Once, help="the column of the text [default: text]")
    verb.add_argument("--id-field", action=Once, help="the column of the id [default: id]")
    verb.add_argument(
        "--order-field",
        action=Once,
        help="the column by which documents come one after the other [default: that of the id]",
    )
    verb.add_argument(
        "--config", action=Once, metavar="FILE", help="settings in TOML, which flags change"
    )
    verb.add_argument(
        "--group",
        action=Once,
        type=int,
        default=GROUP,
        help="documents of a group: a worker holds some 1,000 bytes for each of two groups [default: %(default)s]",
    )
    own = {action.dest for action in verb._actions}
    for name in dir(Config()):
        flag = f"--{name.replace('_', '-')}"
        if name not in own and flag not in ELSEWHERE and not callable(getattr(Config(), name)):
            once: dict[str, Any] = {"nargs": "?", "const": True} if name in SWITCHES else {}
            verb.add_argument(
                flag,
                dest=name,
                action="append" if name in LISTS else Once,
                help=argparse.SUPPRESS,
                **once,
            )
    return parser


def given_to(
    parser: argparse.ArgumentParser, arguments: list[str]
) -> tuple[argparse.Namespace, dict[str, Any]]:
    """The flags of the program, and those that are settings."""
    own, unknown = parser.parse_known_args(arguments)
    for argument in unknown:
        flag, _, _ = argument.partition("=")
        if flag in ELSEWHERE:
            parser.error(f"{flag} is a flag of nearprint dedup alone: {ELSEWHERE[flag]}")
        if flag.startswith("--"):
            try:
                Config(**{flag[2:].replace("-", "_"): 1})
            except UsageError as error:
                if "did you mean" in str(error):
                    raise
        parser.error(f"unknown argument {argument}")
    names = set(dir(Config())) - {"format", "text_field", "id_field"}
    given = {
        name: value for name, value in vars(own).items() if name in names and value is not None
    }
    if shared := set(own.inputs) & set(own.against or []):
        parser.error(
            f"--against: {shared.pop()} is an input, too, so that every document would be a duplicate of itself"
        )
    return own, {name: value if name in TEXTS else typed(value) for name, value in given.items()}


def main(arguments: list[str]) -> int:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    try:
        # Before Spark is started.
        own, settings = given_to(parser_of(), arguments)
        config = Config(own.config, **settings)
        texts, id = (
            [own.text_field] if own.text_field else config.text_field,
            own.id_field or config.id_field,
        )
        if len(texts) > 1:
            raise UsageError("text_field: is one column on Spark; join several before")
        # These name columns of the files; the documents of dedup name their own.
        config = config.replace(text_field="text", id_field="id")
        Worker.check(config)
        check_against(config, own.against is not None)
        format = own.format or format_of([*own.inputs, *(own.against or [])])
        spark = SparkSession.builder.appName("nearprint dedup").getOrCreate()
        refuse_if_there(spark, own.output)
        documents = read(spark, format, own.inputs)
        against = read(spark, format, own.against) if own.against else None
        result = dedup(
            documents,
            against=against,
            text=texts[0],
            id=id,
            order=own.order_field,
            group=own.group,
            config=config,
        )
        # The documents that stay come last, so that they are there only if all is.
        for name in ("removed", "clusters", *(["leaks"] if own.against else []), "kept"):
            getattr(result, name).write.format(format).save(f"{own.output}/{name}")
        print(json.dumps(result.summary))
    except Error as error:
        print(f"nearprint: {as_flags(str(error))}", file=sys.stderr)
        return 2
    except Exception as error:
        # What goes wrong within Java is another exception, of a package that clients of Spark
        # Connect lack.
        if not isinstance(error, PySparkException) and type(error).__module__ != "py4j.protocol":
            raise
        print(f"nearprint: {told(error)}", file=sys.stderr)
        return 1
    return 0


def read(spark: SparkSession, format: str, inputs: list[str]) -> DataFrame:
    """The rows of files. Refuses a line that is no JSON, which Spark takes for a row without
    fields."""
    from pyspark.sql import functions as f

    rows = spark.read.format(format).load(inputs)
    if format == "json" and rows.columns == [CORRUPT]:
        raise UsageError(
            f"no line of {', '.join(inputs)} is a JSON object; give JSON Lines, or Parquet"
        )
    if format == "json" and CORRUPT in rows.columns:
        broken = (
            rows.select("*", f.input_file_name().alias("_file"))
            .where(f.col(CORRUPT).isNotNull())
            .first()
        )
        if broken is not None:
            raise UsageError(
                f"{broken['_file']}: a line is no JSON object: {broken[CORRUPT][:60]}; mend it, or leave it out"
            )
    return rows


def told(error: Exception) -> str:
    """What an exception of Spark says in a line, and what helps."""
    said = [
        line
        for line in str(error).splitlines()
        if line and not line.startswith((" ", "\t", "JVM stacktrace", "An error occurred"))
    ]
    worker = [
        line
        for line in said
        if line.startswith(("nearprint.", "pyarrow.", "MemoryError", "ModuleNotFoundError"))
    ]
    remedy = (
        "; Python on the executors lacks it: set spark.pyspark.python"
        if worker and worker[0].startswith("Module")
        else ""
    )
    return f"{(worker or said or [str(error)])[0].removeprefix(': ')}{remedy}"


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
        # This lists the folder, and reads no file. Spark asks more of one path than of two, and
        # warns where it is not there.
        name = re.sub(r"([][*?{}\\])", r"\\\1", output)
        _ = (
            spark.read.format("binaryFile")
            .option("recursiveFileLookup", True)
            .load([name, name])
            .schema
        )
    except AnalysisException as error:
        if "PATH_NOT_FOUND" in str(error):
            return
        raise
    raise UsageError(f"output: {output} is there already; name a folder that is not")


def typed(value: Any) -> Any:
    """A value as settings have it: a number or a truth value where it is one."""
    if value in ("true", "false"):
        return value == "true"
    for kind, form in ((int, r"-?\d+"), (float, r"-?\d*\.?\d+(e-?\d+)?")):
        if isinstance(value, str) and re.fullmatch(form, value):
            return kind(value)
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
