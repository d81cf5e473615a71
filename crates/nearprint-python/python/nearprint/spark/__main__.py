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
from nearprint.spark.deduplication import GROUP, ON_DRIVER
from nearprint.spark.documents import check_against

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Settings with several values, and settings that name a column. Their values are texts, even if
# they are digits.
LISTS = ("same", "differ", "stop_words", "against_text_field", "exclude")
TEXTS = (*LISTS, "against_id_field", "ignore_passages", "keep", "marks", "stats", "tmp_dir")

# Settings that are on without a value.
SWITCHES = ("hmm", "han_only")

# The column for lines that Spark cannot read.
CORRUPT = "_corrupt_record"

# Flags of nearprint dedup that Spark does not support, with the remedy.
ELSEWHERE = {
    "--force": "name a new folder",
    "--ids": "Spark has no rows of files; name a column of ids",
    "--pairs": "in Python use Deduplication.pairs",
    "--tokens-field": "on Spark nearprint makes the tokens itself",
}

FORMATS = {".parquet": "parquet", ".json": "json", ".ndjson": "json"}

DESCRIPTION = (
    "Finds near-duplicates on Spark. Settings are those of nearprint dedup, such as "
    "--min-similarity 0.8 or --preset paper."
)


def format_of(inputs: list[str]) -> str:
    """The format of all files, by their names; Parquet for folders."""
    names = [name.rstrip("/").rsplit("/", 1)[-1] for name in inputs]
    formats = {
        next((of for part, of in FORMATS.items() if part in name), "" if "." in name else "parquet")
        for name in names
    }
    if len(formats) != 1 or "" in formats:
        raise UsageError(
            f"format: {', '.join(names)}: name Parquet or JSON Lines files, or set --format "
            "parquet or json"
        )
    return formats.pop()


class Once(argparse.Action):
    """A flag that may be given only once."""

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
        help=(
            "folder for removed/, clusters/, kept/ and with --against leaks/, in the format of "
            "the input"
        ),
    )
    verb.add_argument(
        "--against",
        action="append",
        metavar="INPUT",
        help=(
            "files of reference documents, with the same columns except --against-text-field and "
            "--against-id-field"
        ),
    )
    verb.add_argument(
        "--format",
        action=Once,
        choices=["parquet", "json"],
        help="the format of the input [default: by its names]",
    )
    verb.add_argument(
        "--text-field",
        action="append",
        help="the column of the text; several are joined with a line feed [default: text]",
    )
    verb.add_argument("--id-field", action=Once, help="the column of the id [default: id]")
    verb.add_argument(
        "--order-field",
        action=Once,
        help="the column that orders the documents [default: the id]",
    )
    verb.add_argument(
        "--config", action=Once, metavar="FILE", help="settings in TOML; flags override them"
    )
    verb.add_argument(
        "--group",
        action=Once,
        type=int,
        default=GROUP,
        help=(
            "documents per group: a worker holds some 1,000 bytes for each document of two groups "
            "[default: %(default)s]"
        ),
    )
    verb.add_argument(
        "--on-driver",
        action=Once,
        type=int,
        default=ON_DRIVER,
        help="up to this many documents are decided on the driver [default: %(default)s]",
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
    """The flags of the program, and the settings."""
    own, unknown = parser.parse_known_args(arguments)
    for argument in unknown:
        flag, _, _ = argument.partition("=")
        if flag in ELSEWHERE:
            parser.error(f"{flag} is a flag of nearprint dedup only: {ELSEWHERE[flag]}")
        if flag.startswith("--"):
            try:
                unknown_setting: dict[str, Any] = {flag[2:].replace("-", "_"): 1}
                Config(**unknown_setting)
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
            f"--against: {shared.pop()} is also an input, so every document would be a duplicate "
            "of itself"
        )
    return own, {name: value if name in TEXTS else typed(value) for name, value in given.items()}


def main(arguments: list[str]) -> int:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    try:
        # Arguments are checked before Spark starts.
        own, settings = given_to(parser_of(), arguments)
        config = Config(own.config, **settings)
        texts, id = (
            own.text_field or config.text_field,
            own.id_field or config.id_field,
        )
        # The two settings name columns of the files; `dedup` gets columns as arguments.
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
            text=texts,
            id=id,
            order=own.order_field,
            group=own.group,
            on_driver=own.on_driver,
            config=config,
        )
        # Kept documents come last, so that kept/ exists only if the output is complete.
        for name in ("removed", "clusters", *(["leaks"] if own.against else []), "kept"):
            getattr(result, name).write.format(format).save(f"{own.output}/{name}")
        print(json.dumps(result.summary))
    except Error as error:
        print(f"nearprint: {as_flags(str(error))}", file=sys.stderr)
        return 2
    except Exception as error:
        # Errors within Java are exceptions of the package py4j, which clients of Spark Connect
        # lack.
        if not isinstance(error, PySparkException) and type(error).__module__ != "py4j.protocol":
            raise
        print(f"nearprint: {told(error)}", file=sys.stderr)
        return 1
    return 0


def read(spark: SparkSession, format: str, inputs: list[str]) -> DataFrame:
    """The rows of files. Refuses a line that is not JSON, which Spark would read as a row without
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
                f"{broken['_file']}: a line is not a JSON object: {broken[CORRUPT][:60]}; fix it, "
                "or leave it out"
            )
    return rows


def told(error: Exception) -> str:
    """The message of an exception of Spark in one line, and a remedy."""
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
    """A message with settings spelled as on the command line."""
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
    """Refuses an existing folder before the work."""
    from pyspark.errors import AnalysisException

    try:
        # The schema lists the folder, and reads no file. Spark does more for one path than for two,
        # and warns if it does not exist.
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
    raise UsageError(f"output: {output} exists; name a new folder")


def typed(value: Any) -> Any:
    """The value of a setting: a number or a truth value if the text is one."""
    if value in ("true", "false"):
        return value == "true"
    for kind, form in ((int, r"-?\d+"), (float, r"-?\d*\.?\d+(e-?\d+)?")):
        if isinstance(value, str) and re.fullmatch(form, value):
            return kind(value)
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
