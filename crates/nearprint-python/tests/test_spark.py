"""Deduplication on Spark equals a run on one machine, for any partition of the documents."""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conftest import IDS, KEPT, NEWS, REPOSITORY, TEXTS, command_line, json_lines, removed_rows

import nearprint as nr

pytest.importorskip("pyspark", reason="SKIPPED: pyspark is absent")

from nearprint.spark import Deduplication, fingerprint  # noqa: E402
from nearprint.spark import dedup as dedup_anywhere  # noqa: E402

# Spark warns of unknown versions of Python packages, and leaves sockets to the garbage collector.
pytestmark = [
    pytest.mark.skipif(
        shutil.which("java") is None,
        reason="SKIPPED: Java is absent: install openjdk-17-jre-headless",
    ),
    pytest.mark.filterwarnings(
        "ignore::FutureWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning"
    ),
]

#: Tests for which every night is enough. A smaller test of most of them always runs. Lowered
#: distances, hubs of short texts, the preset exact, whole corpora, masks by executors and Spark
#: Connect have no test here that does, but the library's own tests hold the parts of a run against
#: a whole run.
NIGHTLY = pytest.mark.nightly

CORPORA = ["zh_news", "en_minhash_articles", "zh_laws", "zh_xwlb", "en_reuters21578"]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        # Planning after each stage and compilation take longer than the small jobs of these tests.
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.shuffle.partitions": "2",
        # Plans are freed by Python's garbage collection, so a session of many runs holds more than
        # 1 GB.
        "spark.driver.memory": "2g",
        # Each broadcast table takes a page.
        "spark.buffer.pageSize": "1m",
        "spark.sql.ui.retainedExecutions": "10",
        "spark.ui.retainedJobs": "10",
        "spark.ui.retainedStages": "20",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def cleared(request: pytest.FixtureRequest) -> Iterator[None]:
    """Frees the cached frames of a test."""
    yield
    gc.collect()
    if "spark" in request.fixturenames:
        request.getfixturevalue("spark").catalog.clearCache()


def dedup(documents: Any, on_driver: int = 0, **settings: Any) -> Deduplication:
    """Few documents are decided by executors, too, unless a test wants the driver to."""
    result = dedup_anywhere(documents, on_driver=on_driver, **settings)
    assert result.summary["on_driver"] == (on_driver > 0)
    return result


def of_texts(spark: Any, texts: list[str], partitions: int = 2) -> Any:
    return spark.createDataFrame(list(zip(IDS, texts)), "id long, text string").repartition(
        partitions
    )


#: The columns of removed documents. On one machine there are more.
REMOVED = (
    "id",
    "keeper",
    "cluster",
    "distance",
    "similarity",
    "reason",
    "lost",
    "first",
    "last",
    "length",
    "keeper_length",
)


def found(result: Any) -> tuple[list[Any], list[Any], list[Any]]:
    assert result.removed.columns == list(REMOVED)
    removed = sorted(
        (row.asDict() for row in result.removed.collect()), key=lambda row: str(row["id"])
    )
    clusters = [row.asDict() for row in result.clusters.orderBy("cluster").collect()]
    pairs = sorted((row.asDict() for row in result.pairs.collect()), key=str)
    return removed, clusters, pairs


def expected(folder: Path, with_pairs: bool = True) -> tuple[list[Any], list[Any], list[Any]]:
    removed = sorted(
        ({name: row[name] for name in REMOVED} for row in removed_rows(folder)),
        key=lambda row: str(row["id"]),
    )
    pairs = ("left", "right", "distance", "similarity", "reason")
    listed = [
        {name: row[name] for name in pairs}
        for row in (json_lines(folder / "pairs.jsonl") if with_pairs else [])
    ]
    return removed, json_lines(folder / "clusters.jsonl"), sorted(listed, key=str)


def rows_of(data: Path, name: str) -> list[dict[str, Any]]:
    import zstandard

    with open(data / f"{name}.jsonl.zst", "rb") as file:
        text = zstandard.ZstdDecompressor().stream_reader(file).read().decode()
    return [json.loads(line) for line in text.splitlines()]


def corpus(spark: Any, data: Path, name: str, partitions: int) -> Any:
    rows = [(row["id"], row["text"], place) for place, row in enumerate(rows_of(data, name))]
    kind = "long" if isinstance(rows[0][0], int) else "string"
    return spark.createDataFrame(rows, f"id {kind}, text string, place long").repartition(
        partitions
    )


def of_hubs(rows: list[dict[str, Any]], ids: set[Any], max_distance: int) -> set[Any]:
    """The documents with more than 64 others within a distance."""
    hexed = nr.Fingerprinter().fingerprints([row["text"] for row in rows]).to_hex()
    records = {row["id"]: int(text, 16) for row, text in zip(rows, hexed) if text}
    # Copies count as one, and the document itself is among them.
    others = set(records.values())
    return {
        id
        for id in ids
        if sum((records[id] ^ other).bit_count() <= max_distance for other in others) > 65
    }


@NIGHTLY
@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_is_deduplicated_as_on_one_machine(
    spark: Any, data: Path, tmp_path: Path, name: str
) -> None:
    command_line("dedup", data / f"{name}.jsonl.zst", "-o", tmp_path / "out", "--pairs", "--quiet")
    read = len(rows_of(data, name))
    documents = corpus(spark, data, name, 3)
    # Some groups of each corpus.
    result = dedup(documents, order="place", group=max(400, read // 4))
    (*decisions, pairs), (*decisions_there, pairs_there) = found(result), expected(tmp_path / "out")
    assert decisions == decisions_there
    assert found(dedup(documents, on_driver=read, order="place")) == (*decisions, pairs_there)
    # Pairs of two hubs that remove neither are not listed.
    unlisted = [pair for pair in pairs_there if pair not in pairs]
    assert pairs == [pair for pair in pairs_there if pair not in unlisted]
    removals = [{row["id"], row["keeper"]} for row in decisions[0]]
    ends = [{pair["left"], pair["right"]} for pair in unlisted]
    assert not any(pair in removals for pair in ends)
    ends_of_hubs: set[Any] = set().union(*ends)
    assert (
        of_hubs(rows_of(data, name), ends_of_hubs, result.summary["max_distance"]) == ends_of_hubs
    )
    # Each removed document makes a pair with its keeper, or is a copy of one that does.
    listed = [{pair["left"], pair["right"]} for pair in pairs]
    copy_of = {pair["right"]: pair["left"] for pair in pairs if pair["reason"] == "exact"}
    assert all(
        {row["id"], row["keeper"]} in listed or {copy_of[row["id"]], row["keeper"]} in listed
        for row in decisions[0]
    )
    counts = json.loads((tmp_path / "out/summary.json").read_text())["counts"]
    assert (
        result.summary["kept"] == counts["kept"] == result.kept.count()
        and result.summary["read"] == read
    )
    result.unpersist()


@NIGHTLY
def test_partitions_and_groups_change_nothing(spark: Any) -> None:
    texts = [f"{text} {number}" for number in range(40) for text in TEXTS]
    # A hub of short texts.
    texts += [
        f"the train from {'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10]}xyz is late once "
        "more"
        for number in range(100)
    ]
    rows = [(f"{number:03}", text) for number, text in enumerate(texts)]
    answers = []
    for partitions, group in [(1, 1 << 19), (5, 60)]:
        result = dedup(
            spark.createDataFrame(rows, "id string, text string").repartition(partitions),
            group=group,
        )
        answers.append(found(result))
        result.unpersist()
        assert not spark.sparkContext._jsc.getPersistentRDDs(), (
            "something is held that nobody needs"
        )
    assert answers[0] == answers[1] and len(answers[0][0]) > 50


@NIGHTLY
def test_the_paper_weighs_by_the_statistics_of_all_parts(
    spark: Any, data: Path, tmp_path: Path
) -> None:
    command_line(
        "dedup",
        data / "zh_news.jsonl.zst",
        "-o",
        tmp_path / "out",
        "--pairs",
        "--quiet",
        "--preset",
        "paper",
    )
    # A guard with equal values in all documents changes nothing.
    frame = corpus(spark, data, "zh_news", 5).selectExpr("*", "'zh' as lang")
    result = dedup(frame, order="place", preset="paper", same="lang")
    assert found(result) == expected(tmp_path / "out")


def test_statistics_and_chains_are_those_of_one_machine(spark: Any, tmp_path: Path) -> None:
    random = Random(18)
    syllables = [one + other for one in "bdfgklmnprstvz" for other in "aeiou"]
    words = ["".join(random.choices(syllables, k=3)) for _ in range(3000)]
    texts: list[str] = []
    for _ in range(20):
        text = random.choices(words, k=60)
        # Each text has one word of the one before exchanged.
        for _ in range(5):
            texts.append(" ".join(text))
            text[random.randrange(60)] = random.choice(words)
    (tmp_path / "texts.jsonl").write_text(
        "".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in enumerate(texts))
    )
    flags = ["--preset", "paper", "--cluster", "components", "--keep", "first"]
    command_line(
        "dedup", tmp_path / "texts.jsonl", "-o", tmp_path / "out", "--pairs", "--quiet", *flags
    )
    frame = spark.createDataFrame(list(enumerate(texts)), "id long, text string").repartition(3)
    result = dedup(frame, preset="paper", cluster="components", keep="first")
    assert found(result) == expected(tmp_path / "out")
    # Some are no duplicates of their keepers, which others link to them.
    distances = [row["distance"] for row in removed_rows(tmp_path / "out")]
    assert max(distances) > result.summary["max_distance"] and len(distances) > 40


def test_short_texts_and_what_stays(spark: Any) -> None:
    # By their own statistics, one text more would stay.
    stats = nr.Stats.build(TEXTS[:2], preset="paper")
    settings: dict[str, Any] = {"preset": "paper", "min_features": 4, "max_distance": 24}
    result = dedup(of_texts(spark, TEXTS), stats=stats, **settings)
    assert sorted(row["id"] for row in result.kept.collect()) == KEPT and result.kept.columns == [
        "id",
        "text",
    ]
    assert (result.summary["read"], result.summary["kept"], result.summary["removed"]) == (5, 3, 2)
    rows = [{"id": id, "text": text} for id, text in zip(IDS, TEXTS)]
    same = nr.dedup(rows, stats=stats, **settings)
    assert sorted(row["keeper"] for row in result.removed.collect()) == sorted(
        row["keeper"] for row in same.removed
    )
    assert len(nr.dedup(rows, **settings).kept) == len(KEPT) + 1
    assert spark.sparkContext._jsc.getPersistentRDDs()
    result.unpersist()
    assert not spark.sparkContext._jsc.getPersistentRDDs(), "something is held that nobody needs"


def test_the_longest_highest_or_newest_stays(spark: Any) -> None:
    from pyspark.sql import functions as f

    from nearprint.spark.guards import numbers_of, values_of
    from nearprint.spark.records import rank_of

    rows = [(1, NEWS, 5), (2, NEWS + " today", 9), (3, NEWS + "!", 7)]
    frame = spark.createDataFrame(rows, "id int, text string, seen int")

    def best(frame: Any, keep: str) -> Any:
        """The id of the document that stays, of all of one text."""
        known = frame.selectExpr(
            "*", "false as against", "id as place", "length(text) as size", "seen as field"
        )
        return known.orderBy(*rank_of(nr.Config(keep=keep), known)).first()["id"]

    assert [best(frame, keep) for keep in ("first", "longest", "highest:seen")] == [1, 2, 2]
    # Unsigned 64-bit integers come as decimals, without rounding.
    large = frame.selectExpr(
        "id", "text", "cast(18446744073709551606 + seen as decimal(20,0)) as seen"
    )
    assert best(large, "highest:seen") == 2
    # Ranks and guards in decimals: two more copies of the first text, one of them of another guard.
    more = spark.createDataFrame(
        [(4, NEWS, 8, 1), (5, NEWS, 6, 2)], "id int, text string, seen int, part int"
    )
    of_parts = (
        frame.selectExpr("*", "1 as part")
        .unionAll(more)
        .selectExpr(
            "id",
            "text",
            *[
                f"cast(18446744073709551606 + {name} as decimal(20,0)) as {name}"
                for name in ("seen", "part")
            ],
        )
    )
    result = dedup(of_parts, keep="highest:seen", same="part")
    removed = {row["id"]: row["keeper"] for row in result.removed.collect()}
    assert removed == {1: 2, 3: 2, 4: 2}
    of_guards = numbers_of(values_of(large, nr.Config(same="seen")))
    assert large.select(of_guards).distinct().count() == 3
    # Texts compare by their characters: of two with the same beginning, the longer one is larger.
    in_words = frame.selectExpr(
        "id", "text", "case id when 2 then '2026-01' when 3 then '2026-01-01' end as seen"
    )
    assert best(in_words, "highest:seen") == 3
    # Minus zero is less than zero, and a document without a number comes last.
    in_halves = frame.withColumn("seen", f.expr("array(double('NaN'), -0.0D, 0.0D)[id - 1]"))
    assert best(in_halves, "highest:seen") == 3
    assert best(in_halves.where("id != 3"), "highest:seen") == 2
    # True is more than false.
    assert best(frame.withColumn("seen", f.expr("id = 2")), "highest:seen") == 2
    with pytest.raises(nr.UsageError, match="keep: no document has a value in the column seen"):
        dedup(frame.selectExpr("id", "text", "cast(null as string) as seen"), keep="newest:seen")
    with pytest.raises(nr.UsageError, match="make it a number"):
        dedup(frame.selectExpr("id", "text", "array(seen) as seen"), keep="newest:seen")
    # Dates of all forms rank by their moments, as on one machine.
    dates = "array('Fri, 05 Jan 2024 10:00:00 GMT', '2024年10月1日', 'soon')[id - 1]"
    with pytest.warns(nr.NearprintWarning, match='no date in 1 of them, such as "soon" .3.'):
        result = dedup(
            frame.selectExpr("id", "'same' as text", f"{dates} as seen"),
            on_driver=9,
            keep="newest:seen",
        )
    assert [row["id"] for row in result.kept.collect()] == [2]
    assert result.summary["undated"] == {
        "field": "seen",
        "documents": 1,
        "first": [{"id": 3, "value": "soon"}],
        "missing": 0,
    }
    dates = "array('2024-02-01', cast(null as string), '2024年1月1日')[id - 1]"
    with pytest.warns(nr.NearprintWarning, match="no date in 1 of them: it is null"):
        result = dedup(
            frame.selectExpr("id", "'same' as text", f"{dates} as seen"),
            on_driver=9,
            keep="oldest:seen",
        )
    assert [row["id"] for row in result.kept.collect()] == [3]
    assert result.summary["undated"]["missing"] == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"same": ["lang", "day", "local", "seen"], "max_lost": 0.02, "keep": "newest:date"},
        pytest.param({"differ": "source", "max_lost": 0.1}, marks=NIGHTLY),
        pytest.param(
            {"differ": "source", "preset": "exact", "keep": "highest:source"}, marks=NIGHTLY
        ),
    ],
    ids=["same", "differ", "exact"],
)
def test_guards_and_what_may_be_lost(
    spark: Any, data: Path, tmp_path: Path, settings: dict[str, Any]
) -> None:
    from pyspark.sql import functions as f

    random, rows = Random(18), []
    for place, row in enumerate(rows_of(data, "zh_news")[:250]):
        for copy in range(random.choice([1, 1, 2, 4])):
            # Copies, longer ones of the same words, and shorter ones.
            text = random.choice(
                [row["text"], row["text"] + " " * copy, row["text"][:-9], "本报讯 " + row["text"]]
            )
            lang, source, day = (
                random.choice(["zh", "en", None]),
                random.randrange(3),
                random.choice([1.5, None]),
            )
            date = random.choice(["2026-01", "2026-01-02", None])
            more = {
                "date": date,
                "local": random.choice([True, True, None]),
                "seen": random.choice([None, "2026-01-02"]),
            }
            rows.append(
                {
                    "id": f"{place}-{copy}",
                    "text": text,
                    "lang": lang,
                    "source": source,
                    "day": day,
                    **more,
                }
            )
    rows += [
        {**row, "id": f"{row['id']}-short", "text": f"今天天气很好 {place % 7}" + "!" * (place % 2)}
        for place, row in enumerate(rows[:60])
    ]
    # A hub.
    rows += [
        {
            **row,
            "id": f"{row['id']}-form",
            "text": f"{NEWS}, and {place // 7} cars wait for it. {TEXTS[1]} in {place}.",
        }
        for place, row in enumerate(rows[:150])
    ]
    (tmp_path / "news.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    flags = [
        flag
        for name, value in settings.items()
        for one in (value if isinstance(value, list) else [value])
        for flag in (f"--{name.replace('_', '-')}", one)
    ]
    command_line(
        "dedup", tmp_path / "news.jsonl", "-o", tmp_path / "out", "--pairs", "--quiet", *flags
    )
    frame = spark.createDataFrame(
        [(*row.values(), place) for place, row in enumerate(rows)],
        "id string, text string, lang string, source int, day double, date string, local "
        "boolean, seen string, place int",
    ).withColumn("seen", f.col("seen").cast("date"))
    # Documents without a date are told.
    no_date = pytest.warns(nr.NearprintWarning, match="has no date in")
    with no_date if "newest:date" == settings.get("keep") else nullcontext():
        result = dedup(frame.repartition(3), order="place", group=300, **settings)
        on_driver = dedup(frame.repartition(3), on_driver=len(rows), order="place", **settings)
    (*decisions, pairs), (*decisions_there, pairs_there) = found(result), expected(tmp_path / "out")
    assert decisions == decisions_there
    assert found(on_driver) == (*decisions, pairs_there)
    # Pairs of hubs that remove no document are not listed.
    unlisted = [pair for pair in pairs_there if pair not in pairs]
    assert all(pair in pairs_there for pair in pairs) and all(
        pair["left"].endswith("-form") for pair in unlisted
    )
    reasons = {row["reason"] for row in removed_rows(tmp_path / "out")}
    assert "exact" in reasons and (
        settings.get("preset") == "exact" or {"near", "short"} <= reasons
    )


def test_mistakes_are_named(spark: Any) -> None:
    frame = of_texts(spark, TEXTS)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"recall": 0.9}, "recall"),
        ({"marks": "marks.jsonl"}, "marks"),
        ({"bits": 100}, "bits"),
        ({"same": "lang"}, "no column lang; there are id, text"),
        ({"differ": "id", "cluster": "components"}, "differ: is not supported"),
        ({"leak_action": "cut"}, "leak_action: applies to reference documents"),
    ]
    for settings, said in refused:
        with pytest.raises(nr.UsageError, match=said):
            dedup(frame, **settings)
    with pytest.raises(nr.UsageError, match="same: no document has a value in the column lang"):
        dedup(frame.selectExpr("id", "text", "cast(null as string) as lang"), same="lang")
    with pytest.raises(nr.UsageError, match="same: the column tags is of type array"):
        dedup(frame.selectExpr("id", "text", "array(text) as tags"), same="tags")
    with pytest.raises(nr.UsageError, match="same: no document has a value in the column share"):
        dedup(frame.selectExpr("id", "text", "double('NaN') as share"), same="share")
    with pytest.raises(nr.UsageError, match="order: the column tags is of type map"):
        dedup(frame.selectExpr("id", "text", "map(id, text) as tags"), order="tags")
    with pytest.raises(nr.UsageError, match="group: 0"):
        dedup(frame, group=0)
    with pytest.raises(nr.UsageError, match="no column body; there are id, text"):
        dedup(frame, text="body")
    with pytest.raises(nr.UsageError, match="no column meta.date; there are id, text, meta"):
        dedup(
            frame.selectExpr("id", "text", "named_struct('lang', 'en') as meta"),
            keep="newest:meta.date",
        )
    with pytest.raises(
        nr.UsageError, match="the columns text and TEXT have the same name; drop all but one"
    ):
        dedup(frame.selectExpr("id", "text", "text as TEXT"))
    with pytest.raises(nr.UsageError, match="the column id is of type"):
        dedup(frame, text="id")
    latin = spark.createDataFrame(
        [(1, b"caf\xe9"), (2, None), (3, "诗".encode())], "id int, text binary"
    )
    with pytest.raises(
        nr.UsageError,
        match="text, or with one that is not UTF-8 or longer than max_document_bytes=[0-9]+: 2, "
        "such as 1;",
    ):
        dedup(latin)
    with pytest.raises(nr.UsageError, match="longer than max_document_bytes=99: 4, such as 10;"):
        dedup(frame, max_document_bytes=99)
    with pytest.raises(nr.UsageError, match="ids used by several documents: 2, such as 0"):
        dedup(frame.selectExpr("id % 2 as id", "text"))
    about_against: list[tuple[dict[str, Any], str]] = [
        ({"against_id_field": "number"}, "name them with against="),
        (
            {"against": frame.toDF("number", "text")},
            "no column id; there are number, text; name it by against_id_field=",
        ),
        ({"against": frame, "against_text_field": ["text", "b"]}, "no column b; there are id, te"),
        ({"against": frame, "order": "row"}, "no column row"),
        ({"against": "test.jsonl"}, "a str is not a DataFrame"),
        (
            {"against": frame.selectExpr("id", "text", "1 as lang"), "same": "lang"},
            "no column lang",
        ),
        (
            {"against": frame.select("text"), "against_id_field": "text", "order": "id"},
            "against: no column id; there are text; both sides",
        ),
    ]
    for given, said in about_against:
        with pytest.raises(nr.UsageError, match=said):
            dedup(frame, **given)
    with pytest.raises(nr.UsageError, match="already has a column fingerprint"):
        fingerprint(fingerprint(frame))


def test_what_is_held_goes_with_a_failure(spark: Any) -> None:
    twice = spark.createDataFrame([(1, TEXTS[0]), (1, TEXTS[1])], "id long, text string")
    with pytest.raises(nr.UsageError, match="ids used by several documents"):
        dedup(twice)
    assert not spark.sparkContext._jsc.getPersistentRDDs()


@pytest.mark.parametrize("on_driver", [9, pytest.param(0, marks=NIGHTLY)])
def test_passages_are_masked_whatever_the_columns(spark: Any, on_driver: int) -> None:
    item = (
        "How many eggs does the farmer sell at the market on every single day of the week, and "
        "for how much?"
    )
    others = [
        "To be handed in on paper before the lesson begins, with a picture.",
        "After that, measure the sides of your desk and find its area.",
    ]
    rows = [("a", 7, f"{others[0]} {item} {others[1]}".encode(), 0.5), ("b", 8, "诗".encode(), 1.5)]
    frame = spark.createDataFrame(
        rows, "`_id` string, `_passages` int, `the text` binary, `_removed` double"
    )
    against = spark.createDataFrame([("q", item.encode())], "`_id` string, `the text` binary")
    result = dedup(
        frame,
        on_driver=on_driver,
        against=against,
        text="the text",
        id="_id",
        leak_action="mask",
    )
    kept = result.kept.orderBy("_id")
    assert kept.columns == frame.columns
    assert [tuple(row) for row in kept.collect()] == [
        ("a", 7, f"{others[0]} [masked] {others[1]}".encode(), 0.5),
        rows[1],
    ]
    assert [row["action"] for row in result.leaks.collect()] == ["masked"]
    assert result.summary["removed"] == 0


def test_messages_name_flags() -> None:
    from nearprint.spark.__main__ import as_flags

    spelled = [
        ("min_similarity: 2 is too much", "--min-similarity: 2 is too much"),
        ("did you mean max_lost=?", "did you mean --max-lost?"),
        (
            "text: no column; name it by against_text_field=",
            "--text-field: no column; name it by --against-text-field",
        ),
        ("output: out/date=2024-01-01 is there", "--output: out/date=2024-01-01 is there"),
        ("set features=words", "set --features words"),
    ]
    for message, expected in spelled:
        assert as_flags(message) == expected


def test_flags_are_settings_wherever_they_stand() -> None:
    from nearprint.spark.__main__ import given_to, parser_of

    flags = ["--same", "2024", "--hmm=false", "--han-only", "--bits", "64", "--min-similarity=.9"]
    expected = {"same": ["2024"], "hmm": False, "han_only": True, "bits": 64, "min_similarity": 0.9}
    for arguments in ([*flags, "d.jsonl", "-o", "out"], ["d.jsonl", "-o", "out", *flags]):
        own, settings = given_to(parser_of(), ["dedup", *arguments])
        assert (own.inputs, settings) == (["d.jsonl"], expected)


def test_what_spark_says_is_a_line() -> None:
    from nearprint.spark.__main__ import told

    of_java = (
        "An error occurred while calling o36.load.\n: org.apache.spark.SparkException: Could not "
        "read footer.\n\tat org.apache.spark.Some\n"
    )
    of_worker = (
        "[PYTHON_ERROR] Job aborted.\nTraceback:\n  File one\nModuleNotFoundError: No module "
        "named 'nearprint'\n"
    )
    assert told(RuntimeError(of_java)) == "org.apache.spark.SparkException: Could not read footer."
    assert told(RuntimeError(of_worker)).startswith(
        "ModuleNotFoundError: No module named 'nearprint'; Python on the executors lacks it"
    )


def test_passages_give_way(spark: Any) -> None:
    from pyspark.sql import functions as f

    from nearprint.spark.passages import without

    rows = [
        ("诗bcdefghij", [(2, 3), (4, 5), (5, 5), (7, 8)]),
        ("诗bcd", [(0, 3)]),
        ("𠮷bcd", [(0, 0), (3, 3)]),
        ("ab", [(0, 1), (0, 1)]),
    ]
    frame = spark.createDataFrame(
        rows, "text string, ranges array<struct<first: int, last: int>>"
    ).coalesce(1)
    edited = frame.select(
        *[without(f.col("text"), f.col("ranges"), in_place) for in_place in ("", "*")]
    )
    assert [tuple(row) for row in edited.collect()] == [
        ("诗bgj", "诗b*g*j"),
        ("", "*"),
        ("bc", "*bc*"),
        ("", "*"),
    ]


def test_an_output_that_is_there_is_refused_whatever_its_name(spark: Any, tmp_path: Path) -> None:
    from nearprint.spark.__main__ import refuse_if_there

    for name in ("plain", "a[1]{b}", "day=*", "dates"):
        refuse_if_there(spark, str(tmp_path / name))
        # Folders of two partitions.
        for part in ("day=1", "hour=2"):
            (tmp_path / name / part).mkdir(parents=True)
        with pytest.raises(nr.UsageError, match="exists; name a new folder"):
            refuse_if_there(spark, str(tmp_path / name))


def test_a_line_that_is_no_json_is_named(spark: Any, tmp_path: Path) -> None:
    from nearprint.spark.__main__ import read

    (tmp_path / "news.jsonl").write_text('{"id": 1, "text": "one"}\n{"id": 2, "te\n')
    (tmp_path / "list.json").write_text('[\n{\n"id":\n')
    with pytest.raises(nr.UsageError, match="no line of .*list.json is a JSON object"):
        read(spark, "json", [str(tmp_path / "list.json")])
    (tmp_path / "list.json").unlink()
    with pytest.raises(
        nr.UsageError, match=r'news.jsonl: a line is not a JSON object: {"id": 2, "te;'
    ):
        read(spark, "json", [str(tmp_path)])


def test_fingerprints_are_those_of_everywhere(spark: Any) -> None:
    made = fingerprint(of_texts(spark, TEXTS), bits=64).orderBy("id").collect()
    column = nr.Fingerprinter(bits=64).fingerprints(TEXTS)
    assert [bytes(row["fingerprint"]).hex() for row in made] == column.to_hex()
    assert (
        fingerprint(spark.createDataFrame([(None,)], "text string")).collect()[0]["fingerprint"]
        is None
    )


def program_over(folder: Path) -> list[str]:
    """The arguments of the program for a file of five documents."""
    rows = [{"id": id, "text": text} for id, text in zip(IDS, TEXTS)]
    (folder / "news.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ["dedup", str(folder / "*.jsonl"), "--output", str(folder / "out")]


def check_output(folder: Path, printed: str) -> None:
    """What the program leaves of these."""
    assert json.loads(printed)["kept"] == 3
    kept = [row for part in (folder / "out/kept").glob("part-*.json") for row in json_lines(part)]
    assert sorted(row["id"] for row in kept) == KEPT
    assert {path.name for path in (folder / "out").iterdir()} == {"kept", "removed", "clusters"}


def test_the_program_writes_all_folders(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from nearprint.spark.__main__ import main

    arguments = [*program_over(tmp_path), "--min-similarity", "0.7"]
    assert main(arguments) == 0
    check_output(tmp_path, capsys.readouterr().out)
    assert main(arguments) == 2
    assert "exists; name a new folder" in capsys.readouterr().err


@NIGHTLY
@pytest.mark.parametrize("connect", [False, True])
def test_it_is_a_program(tmp_path: Path, connect: bool) -> None:
    command = [sys.executable, "-m", "nearprint.spark", *program_over(tmp_path)]
    few = (
        "--conf spark.sql.shuffle.partitions=2 --conf spark.ui.enabled=false --conf "
        "spark.sql.adaptive.enabled=false --conf spark.sql.codegen.wholeStage=false"
    )
    own = {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_SUBMIT_ARGS": f"{few} pyspark-shell",
    }
    if connect:
        # With Spark Connect, the driver is a client and has neither contexts nor RDDs.
        own["SPARK_REMOTE"] = "local[2]"
    done = subprocess.run(
        [*command, "--min-similarity", "0.7"],
        capture_output=True,
        text=True,
        env={**os.environ, **own},
    )
    assert done.returncode == 0, done.stderr
    check_output(tmp_path, done.stdout)
    if connect:
        again = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **own})
        assert again.returncode == 2 and "exists; name a new folder" in again.stderr, again.stderr


def test_the_program_refuses_before_spark_is_started(tmp_path: Path) -> None:
    refused: list[tuple[list[str], str]] = [
        (["d.csv"], "name Parquet or JSON Lines"),
        (["d.jsonl", "--min-simmilarity", "1"], "did you mean --min-similarity?"),
        (["d.jsonl", "--min-similarity", "2"], "nearprint: --min-similarity: 2 is not above 0"),
        (
            ["d.jsonl", "--min-similarity", "1", "--min-similarity", "1"],
            "--min-similarity: cannot be used several times",
        ),
        (["d.jsonl", "--against", "d.jsonl"], "d.jsonl is also an input"),
        (["d.jsonl", "--preset", "--keep", "longest"], "--preset: expected one argument"),
        (["--same", "2024", "--hmm=false", "d.jsonl", "--quiet"], "unknown argument --quiet"),
        (["--bits", "100", "d.jsonl"], "--bits: 100 is not 32"),
        (
            ["d.jsonl", "--id-field", "title", "--id-field", "body"],
            "cannot be used several times",
        ),
        (["d.jsonl", "--against", "d.parquet"], "name Parquet or JSON Lines"),
        (["d.jsonl", "--pairs"], "--pairs is a flag of nearprint dedup only"),
        (
            ["d.jsonl", "--leak-action", "cut"],
            "--leak-action: applies to reference documents",
        ),
    ]
    for arguments, said in refused:
        command = [
            sys.executable,
            "-m",
            "nearprint.spark",
            "dedup",
            *arguments,
            "--output",
            str(tmp_path / "out"),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 2 and said in done.stderr, done.stderr


def test_the_examples_of_the_page_run(spark: Any) -> None:
    page = (REPOSITORY / "docs/spark.md").read_text(encoding="utf-8")
    names: dict[str, object] = {"spark": spark}
    blocks = re.findall(r"```python\n(.*?)```", page.partition("## Ray and Dask")[0], re.DOTALL)
    for block in blocks:
        exec(compile(block, "docs/spark.md", "exec"), names)
    assert len(blocks) == 2


def found_against(result: Any) -> tuple[list[Any], ...]:
    leaks = sorted((row.asDict() for row in result.leaks.collect()), key=str)
    return (*found(result), leaks)


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"max_lost": 0.5, "leak_action": "mask"}, marks=NIGHTLY),
        pytest.param({"same": "lang", "keep": "highest:seen"}, marks=NIGHTLY),
        {"differ": "lang", "leak_action": "cut"},
        pytest.param({"leak_action": "list"}, marks=NIGHTLY),
        pytest.param({"min_leak_length": "off"}, marks=NIGHTLY),
    ],
    ids=str,
)
def test_the_duplicates_of_other_documents_go(
    spark: Any, data: Path, tmp_path: Path, settings: dict[str, Any]
) -> None:
    looks_inside = "min_leak_length" not in settings
    rows = rows_of(data, "zh_news")[:800]
    # Some items are whole documents, others are inside longer texts.
    asked = rows[:300] + [
        {"id": f"part-{number}", "text": row["text"][:200]}
        for number, row in enumerate(rows[600:640])
    ]
    for side, part in [("train", rows[200:]), ("test", asked)]:
        lines = (
            json.dumps(
                {
                    "id": row["id"],
                    "text": row["text"],
                    "lang": place // 7 % 2,
                    "seen": str(place % 9),
                }
            )
            + "\n"
            for place, row in enumerate(part)
        )
        (tmp_path / f"{side}.jsonl").write_text("".join(lines))
    flags = [
        flag for name, value in settings.items() for flag in (f"--{name.replace('_', '-')}", value)
    ]
    command_line(
        "dedup",
        tmp_path / "train.jsonl",
        "--against",
        tmp_path / "test.jsonl",
        "-o",
        tmp_path / "out",
        "--pairs",
        "--quiet",
        *flags,
    )

    def frame(part: list[dict[str, Any]]) -> Any:
        rows = [
            (row["id"], row["text"], place, place // 7 % 2, str(place % 9))
            for place, row in enumerate(part)
        ]
        return spark.createDataFrame(
            rows, "id string, text string, place long, lang int, seen string"
        )

    # Both sides have several groups.
    result, on_driver = (
        dedup(
            frame(rows[200:]).repartition(3),
            against=frame(asked),
            order="place",
            group=300,
            on_driver=most,
            **settings,
        )
        for most in (0, len(rows) + len(asked))
    )
    names = ("id", "item", "reason", "similarity", "first", "last", "action")
    leaks = sorted(
        ({name: row[name] for name in names} for row in json_lines(tmp_path / "out/leaks.jsonl")),
        key=str,
    )
    assert found_against(result) == (*expected(tmp_path / "out"), leaks)
    assert found_against(on_driver) == found_against(result)
    assert ("contains" in {leak["reason"] for leak in leaks}) == looks_inside and len(leaks) > 30
    counts = json.loads((tmp_path / "out/summary.json").read_text())["counts"]
    kept = sorted((row["id"], row["text"]) for row in json_lines(tmp_path / "out/kept/train.jsonl"))
    for one in (result, on_driver):
        assert (one.summary["kept"], one.summary["contains"]) == (
            counts["kept"],
            counts["contains"],
        )
        assert sorted((row["id"], row["text"]) for row in one.kept.collect()) == kept


@NIGHTLY
def test_a_family_is_seen_on_either_side(spark: Any, tmp_path: Path) -> None:
    """A text of the other side has near neighbors on its side, and the compared document."""
    random = Random(18)

    def edited(words: list[str], share: float) -> list[str]:
        return [
            f"{random.randrange(10**9):x}" if random.random() < share else word for word in words
        ]

    other: list[str] = []
    own: list[str] = []
    for near in [0, 1, 2, 3] * 4:
        words = edited([""] * 200, 1.0)
        other += [" ".join(text) for text in [words, *(edited(words, 0.25) for _ in range(near))]]
        own += [" ".join(edited(words, share)) for share in (0.14, 0.12)]
    for name, texts in [("train", own), ("test", other)]:
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in enumerate(texts))
        )
    command_line(
        "dedup",
        tmp_path / "train.jsonl",
        "--against",
        tmp_path / "test.jsonl",
        "-o",
        tmp_path / "out",
        "--pairs",
        "--quiet",
        "--min-leak-length",
        "off",
    )
    frames = [
        spark.createDataFrame(list(enumerate(texts)), "id long, text string")
        for texts in (own, other)
    ]
    for group in (200_000, 10):
        result = dedup(frames[0], against=frames[1], group=group, min_leak_length="off")
        assert (
            found(result) == expected(tmp_path / "out")
            and 8 < len(result.removed.collect()) < len(own) - 4
        )


@pytest.mark.parametrize("on_driver", [100, pytest.param(0, marks=NIGHTLY)])
@pytest.mark.parametrize("other", [["Half price"], [TEXTS[0]], [""]])
def test_any_other_documents_are_compared_with(
    spark: Any, tmp_path: Path, other: list[str], on_driver: int
) -> None:
    """Short, long and empty documents of one side are never compared with each other."""
    own = [*TEXTS, "Half price!", "Half price", "Half price."]
    for name, texts in [("train", own), ("test", other)]:
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in enumerate(texts))
        )
    command_line(
        "dedup",
        tmp_path / "train.jsonl",
        "--against",
        tmp_path / "test.jsonl",
        "-o",
        tmp_path / "out",
        "--quiet",
    )

    def frame(texts: list[str]) -> Any:
        # Texts may be bytes.
        return spark.createDataFrame(
            [(id, text.encode()) for id, text in enumerate(texts)], "id long, text binary"
        )

    of_other_names = frame(other).toDF("number", "question")
    result = dedup(
        frame(own),
        against=of_other_names,
        against_text_field="question",
        against_id_field="number",
        on_driver=on_driver,
    )
    assert found(result)[:2] == expected(tmp_path / "out", with_pairs=False)[:2]


@pytest.mark.parametrize(
    "settings",
    [
        {"cluster": "components"},
        {"cluster": "components", "same": "lang"},
    ],
    ids=str,
)
@NIGHTLY
def test_the_distance_is_lowered_as_on_one_machine(
    spark: Any, tmp_path: Path, settings: dict[str, Any]
) -> None:
    """Texts of a few syllables are near by chance, and components have no hubs."""
    random = Random(18)
    texts: list[str] = []
    for number in range(3_200):
        words = texts[-1].split()[:590] if number % 10 == 9 else []
        texts.append(
            " ".join(
                [
                    *words,
                    *(
                        random.choice("bdgkm") + random.choice("aeiou")
                        for _ in range(700 - len(words))
                    ),
                ]
            )
        )
    rows = [
        {"id": id, "text": text, "lang": int(id // 10 % 5 > 0)} for id, text in enumerate(texts)
    ]
    (tmp_path / "syllables.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    flags = [
        flag for name, value in settings.items() for flag in (f"--{name.replace('_', '-')}", value)
    ]
    command_line(
        "dedup", tmp_path / "syllables.jsonl", "-o", tmp_path / "out", "--pairs", "--quiet", *flags
    )
    frame = spark.createDataFrame(
        [tuple(row.values()) for row in rows], "id int, text string, lang int"
    )
    result = dedup(frame.repartition(3), **settings)
    search = json.loads((tmp_path / "out/summary.json").read_text())
    assert found(result) == expected(tmp_path / "out") and search["max_distance_lowered_from"] == 80
    assert result.summary["max_distance"] == search["max_distance"] < 80


@NIGHTLY
def test_statistics_from_a_file_go_along(spark: Any, tmp_path: Path) -> None:
    words = nr.Stats.build(TEXTS, preset="paper")
    words.save(tmp_path / "words.stats")
    removed = [
        dedup(of_texts(spark, TEXTS), preset="paper", stats=stats).removed
        for stats in (words, tmp_path / "words.stats")
    ]
    (tmp_path / "words.stats").unlink()
    del words
    gc.collect()
    # The result is computed again, without the file.
    spark.catalog.clearCache()
    there = nr.dedup(
        [{"id": id, "text": text} for id, text in zip(IDS, TEXTS)],
        preset="paper",
        stats=nr.Stats.build(TEXTS, preset="paper"),
    ).removed
    for rows in removed:
        assert sorted((row["id"], row["keeper"]) for row in rows.collect()) == sorted(
            (row["id"], row["keeper"]) for row in there
        )


def test_without_other_documents_none_goes(spark: Any) -> None:
    frame = of_texts(spark, [*TEXTS[:3], "Half price", "Half price."])
    none = frame.limit(0)
    for on_driver, documents, against in [
        (0, frame, none),
        (9, frame, none),
        (0, none, none),
        (9, none, frame),
    ]:
        summary = dedup(documents, on_driver=on_driver, against=against).summary
        assert (summary["read"], summary["removed"]) == (documents.count(), 0)


@pytest.mark.parametrize("on_driver", [0, 9])
def test_several_columns_make_a_text(spark: Any, on_driver: int) -> None:
    title, rest = NEWS[:50], NEWS[50:]
    texts = [(1, title, rest), (2, None, NEWS), (3, TEXTS[1], ""), (4, "", TEXTS[3]), (5, "a", "b")]
    frame = spark.createDataFrame(texts, "id int, title string, body string").selectExpr(
        "double(id) as id", "title", "body"
    )
    stages: list[Any] = []
    result = dedup(
        frame,
        on_driver=on_driver,
        text=["title", "body"],
        progress=lambda *stage: stages.append(stage),
    )
    there = nr.dedup(
        [{"id": id, "text": f"{title or ''}\n{body}".lstrip("\n")} for id, title, body in texts]
    )
    assert [(row["id"], row["keeper"]) for row in result.removed.orderBy("id").collect()] == [
        (row["id"], row["keeper"]) for row in there.removed
    ]
    assert len(there.removed) == 2 and result.kept.columns == frame.columns
    assert stages[0] == ("read", 0, None) and stages[-1][0] == "cluster"
    if not on_driver:
        assert stages[1:] == [(stage, 0, 5) for stage in ("join", "verify", "cluster")]
    with pytest.raises(nr.UsageError, match="without a text.*: 1, such as 2"):
        dedup(frame.selectExpr("id", "title", "string(null) as body"), text=["title", "body"])
    with pytest.raises(nr.UsageError, match="the column id is of type double"):
        dedup(frame, text=["title", "id"])
