"""Arguments of the wrong kind are refused with what to write in their place."""

from __future__ import annotations

from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import nearprint as nr

from conftest import NEWS, OTHER

TABLE = pandas.DataFrame({"text": [NEWS]})
BOTH: dict[str, Any] = {"text": "a", "text_field": "b"}


def refused(call: Any, message: str, setting: str) -> None:
    with pytest.raises(nr.UsageError, match=message) as caught:
        call()
    assert caught.value.setting == setting


def test_rethreshold_takes_a_result_and_its_own_settings() -> None:
    again: Any = nr.rethreshold
    result = nr.dedup([NEWS, NEWS])
    refused(lambda: again(TABLE, min_similarity=0.9), r"^run: DataFrame .* nr\.dedup", "run")
    refused(lambda: again(result, threshold=0.9), "use min_similarity=", "threshold")
    refused(lambda: again(result, keep="first"), "^keep: .* give it to nr.dedup", "keep")


def test_compare_names_the_functions_for_columns() -> None:
    compare: Any = nr.compare
    refused(lambda: compare(TABLE["text"], TABLE["text"]), r"left: Series .*is_duplicate", "left")
    refused(lambda: compare(NEWS, None), r"right: NoneType .* nr\.similarity", "right")


def test_dicts_are_no_documents() -> None:
    with nr.Index.create() as index:
        refused(lambda: index.add({"id": "a", "text": NEWS}), "put a row in a list", "documents")
    refused(lambda: nr.dedup({"text": [NEWS]}), "columns in a table", "documents")


def test_two_names_of_one_setting_are_refused() -> None:
    refused(lambda: nr.dedup(TABLE, **BOTH), "^text: text_field names it, too", "text")


def test_texts_alone_have_their_rows_as_ids_in_against() -> None:
    train = [{"body": NEWS, "doc": "x"}, {"body": "Half price", "doc": "y"}]
    texts = [OTHER, NEWS]
    columns: list[Any] = [
        texts,
        numpy.array(texts),
        pandas.Series(texts),
        polars.Series(texts),
        pyarrow.array(texts),
        pyarrow.chunked_array([texts]),
    ]
    for column in columns:
        result = nr.dedup(train, text="body", id="doc", against=column)
        assert [(row["id"], row["keeper"]) for row in result.removed] == [("x", 1)]
    tables: list[Any] = [
        [{"body": NEWS}],
        polars.DataFrame({"body": texts}),
        pyarrow.table({"body": texts}),
    ]
    for table in tables:
        with pytest.raises(nr.RejectedError, match='no column "doc"'):
            nr.dedup(train, text="body", id="doc", against=table)


FINGERPRINTS = nr.Fingerprints([1, 2], bits=64)


def call(function: Any, *arguments: Any, **keywords: Any) -> Any:
    """Calls a function, unseen by type checkers."""
    return function(*arguments, **keywords)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda: call(nr.dedup, [NEWS], config={"bits": 64}),
            r"config: is of type dict; give .*Config\(",
        ),
        (
            lambda: nr.dedup([["a", "b"]]),
            "documents: its items are of type list; give a list of str",
        ),
        (
            lambda: call(nr.dedup, [NEWS], verbose=True),
            "is not a setting; there are: preset=, text=",
        ),
        (lambda: call(nr.Config, against_text="q"), "did you mean against_text_field=\\?"),
        (
            lambda: nr.Fingerprint("some text"),
            "fingerprint: .* is not hexadecimal; make .* Fingerprinter",
        ),
        (lambda: call(nr.Config, against_id="q"), "did you mean against_id_field=\\?"),
        (lambda: nr.nearest(FINGERPRINTS[0], FINGERPRINTS, k=0), "k: is 0; give 1 or more"),
        (lambda: nr.Fingerprints([1]), "fingerprint: an integer needs bits="),
    ],
)
def test_a_refusal_names_the_argument_and_the_remedy(wrong: Any, message: str) -> None:
    with pytest.raises(nr.UsageError, match=message):
        wrong()


@pytest.mark.parametrize("text", ["The ferry is back", "葫芦娃", "gone.jsonl"])
def test_a_string_is_a_path(text: str) -> None:
    message = (
        f"cannot read {text}: there is no such file; a string is a path, and texts go in a list"
    )
    with pytest.raises(nr.FileError, match=message):
        nr.dedup(text)
    with pytest.raises(nr.FileError, match=message):
        nr.dedup([NEWS], against=text)


def test_messages_name_the_argument_that_is_wrong() -> None:
    for wrong in ({"text": [NEWS]}, 7, pandas.DataFrame([[1, 2]], columns=["text", "text"])):
        with pytest.raises(nr.UsageError, match="^against: ") as caught:
            nr.dedup([NEWS], against=wrong)
        assert caught.value.setting == "against"
    with pytest.raises(nr.UsageError, match="^right: int is not supported"):
        nr.similarity([NEWS], 7)
    with pytest.raises(nr.UsageError, match="^text: int is not supported"):
        nr.segment(7)


def test_an_index_is_no_table_and_lives_as_long_as_its_result() -> None:
    def made() -> nr.Index:
        index = nr.Index.create()
        index.add([{"id": 1, "text": NEWS}])
        return index

    assert len(nr.dedup([{"id": 2, "text": NEWS}], against=made()).removed) == 1
    with pytest.raises(
        nr.UsageError, match="an index is no table; give its documents, index.export"
    ):
        nr.dedup(made())


def test_a_pair_is_found_with_its_own_similarity_as_the_bound() -> None:
    words = [f"word{number % 91}" for number in range(300)]
    for ends in range(1, 60, 3):
        for verify in ("jaccard", "coverage"):
            pair = " ".join(words), " ".join(words[:-ends] + ["gone"] * ends)
            similarity = nr.similarity(*pair, verify=verify)
            if similarity:
                assert nr.is_duplicate(*pair, verify=verify, min_similarity=similarity)
    with pytest.raises(nr.UsageError, match="^ngram: it is about fingerprints, .* set shingle=5"):
        nr.dedup([NEWS], preset="jaccard", ngram=5)
