"""The view of a result in a notebook: counts, plots, and some marked pairs, for any documents."""

from __future__ import annotations

import html.parser
import json
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest

import nearprint as nr

from conftest import NEWS, OTHER, TEXTS

REST = (
    "Guests may bring their dogs, their bicycles and whatever else they can carry, but no stoves "
    "and no open fire. " * 4
)
STORY = (
    f"{NEWS}. {OTHER}. {REST}The captain calls the new engine the quietest she ever heard. The "
    "harbor has hired 12 guards & asks for more <b>volunteers</b> who can swim and row a boat"
)
EDITED = STORY.replace("12 guards", "13 guards").replace("cracked", "broken")


class Elements(html.parser.HTMLParser):
    """The elements of a piece of HTML, which must be well nested."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.open.append(tag)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(result: nr.Result[Any]) -> tuple[str, Elements]:
    html = result._repr_html_()
    elements = Elements(html)
    assert len(html) < 200_000 and not {"script", "style", "img"} & set(elements.names)
    return html, elements


@pytest.mark.parametrize(
    "table",
    [
        pandas.DataFrame,
        polars.DataFrame,
        pyarrow.table,
        lambda columns: [dict(zip(columns, row)) for row in zip(*columns.values())],
    ],
)
def test_a_result_shows_counts_plots_and_marked_pairs(table: Any) -> None:
    result = nr.dedup(
        table({"key": ["<a>", "b", "c"], "body": [STORY, EDITED, OTHER]}), text="body", id="key"
    )
    html, elements = shown(result)
    assert "2 of 3 documents kept, 1 removed in 1 cluster" in elements.text
    assert elements.names.count("svg") == 3 and elements.names.count("mark") >= 4
    assert '"b" for "<a>": near, similarity' in elements.text and "near 1" in elements.text
    assert 'font-weight:bold">13</mark>' in html and ">broken</mark>" in html
    # Markup in a document is shown as text.
    assert "<b>volunteers</b>" in elements.text and "<b>volunteers" not in html
    assert "read" in elements.text and "candidate pairs" in elements.text


def test_a_relation_shows_its_pairs() -> None:
    rows = pyarrow.table({"text": [STORY, EDITED]})
    html, _ = shown(nr.dedup(duckdb.from_arrow(rows)))
    assert ">broken</mark>" in html


def test_several_columns_and_both_sides_are_shown() -> None:
    train = pyarrow.table(
        {
            "title": ["harbor", "town"],
            "text": [EDITED, "another text of other words, of nothing else"],
        }
    )
    test = pyarrow.table({"question": [f"harbor\n{STORY}"]})
    html, _ = shown(
        nr.dedup(train, text=["title", "text"], against=test, against_text_field="question")
    )
    assert ">broken</mark>" in html and ">cracked</mark>" in html


def test_nothing_removed_shows_the_counts_alone() -> None:
    for documents in ([], ["", "a", "b"]):
        _, elements = shown(nr.dedup(documents))
        assert f"{len(documents)} of {len(documents)} documents kept, 0 removed" in elements.text
        assert "svg" not in elements.names


def test_documents_of_any_size_are_shown_in_little() -> None:
    large = " ".join(f"word{n * n % 7919} <&>" for n in range(9000))
    texts = [large, large.replace("word1 ", "word2 "), *(f"{STORY} {n}" for n in range(50)), *TEXTS]
    _, elements = shown(nr.dedup(texts))
    assert elements.text.count(", similarity ") == 5
    family = nr.dedup([f"{STORY} {n}" for n in range(2000)], min_similarity=0.6)
    assert "2000" in shown(family)[1].text.replace(",", "")


def test_texts_that_have_changed_since_are_not_shown() -> None:
    frame = pandas.DataFrame({"text": [STORY, EDITED]})
    result = nr.dedup(frame)
    frame["text"] = "another"
    assert "similarity" in shown(result)[1].text


SOURCES = {
    "text": [STORY, EDITED, OTHER],
    "host": ["one.example", "two.example", "two.example"],
    "year": [2001, None, 2003],
}


@pytest.mark.parametrize(
    "table",
    [
        pandas.DataFrame,
        polars.DataFrame,
        lambda columns: polars.LazyFrame(columns),
        pyarrow.table,
        lambda columns: pyarrow.concat_tables(
            [pyarrow.table(columns).slice(0, 1), pyarrow.table(columns).slice(1)]
        ),
        lambda columns: [dict(zip(columns, row)) for row in zip(*columns.values())],
    ],
)
def test_a_report_tells_sources_apart_by_a_column(table: Any, tmp_path: Path) -> None:
    result = nr.dedup(table(SOURCES))
    result.report(tmp_path / "hosts.html", source_field="host")
    html = (tmp_path / "hosts.html").read_text(encoding="utf-8")
    assert '"sources":{"by":"host","rows":[["two.example",2,1],["one.example",1,0]]' in html
    result.report(tmp_path / "years.html", source_field="year")
    assert '"by":"year","rows":[[null,1,1]' in (tmp_path / "years.html").read_text(encoding="utf-8")
    with pytest.raises(
        nr.RejectedError, match='no column "hots".*there are: .*host.*source_field='
    ) as caught:
        result.report(tmp_path / "none.html", source_field="hots")
    assert (caught.value.field, caught.value.problem) == ("hots", "missing_column")
    assert not (tmp_path / "none.html").exists()


def test_sources_of_a_column_that_the_run_knows_and_of_both_sides(tmp_path: Path) -> None:
    rows = pyarrow.table(SOURCES)
    nr.dedup(rows, differ="host").report(tmp_path / "known.html", source_field="host")
    assert '["two.example",2,1]' in (tmp_path / "known.html").read_text(encoding="utf-8")
    result = nr.dedup(rows, against=pyarrow.table({"text": [STORY]}))
    result.report(tmp_path / "sides.html", source_field="host")
    assert '["two.example",2,1]' in (tmp_path / "sides.html").read_text(encoding="utf-8")


def test_sources_need_the_documents_of_the_run(tmp_path: Path) -> None:
    with pytest.raises(nr.UsageError, match="documents has only texts") as caught:
        nr.dedup([STORY, EDITED]).report(tmp_path / "a.html", source_field="host")
    assert caught.value.setting == "source_field"
    with pytest.raises(nr.UsageError, match="documents has only texts"):
        nr.dedup(polars.Series([STORY, EDITED])).report(tmp_path / "a.html", source_field="host")
    documents = [{"text": STORY, "host": "a"}, {"text": EDITED, "host": "b"}]
    result = nr.dedup(documents)
    documents.append({"text": OTHER, "host": "c"})
    result.report(tmp_path / "a.html", source_field="host")
    assert (tmp_path / "a.html").stat().st_size > 1000


def shown_on(path: Path) -> Any:
    """The names of the shown fields on a page."""
    page = path.read_text(encoding="utf-8")
    return json.loads(page.split('"shown":', 1)[1].split("]", 1)[0] + "]")


def test_a_report_shows_columns_beside_pairs(tmp_path: Path) -> None:
    path = tmp_path / "shown.html"
    table = {"title": ["One", "Two", "Three"], **SOURCES}
    for rows in (pandas.DataFrame(table), pyarrow.table(table)):
        result = nr.dedup(rows)
        result.report(path, force=True)
        assert shown_on(path) == ["title", "host"]
        assert '["One","one.example"]' in path.read_text(encoding="utf-8")
        result.report(path, show_fields="year", force=True)
        assert shown_on(path) == ["year"]
        result.report(path, show_fields=["host", "year"], source_field="host", force=True)
        assert shown_on(path) == ["host", "year"]
        result.report(path, show_fields="none", force=True)
        assert shown_on(path) == []
        with pytest.raises(nr.RejectedError, match='no column "titel".*show_fields=') as caught:
            result.report(path, show_fields="titel", force=True)
        assert caught.value.field == "titel"
    nr.dedup([STORY, EDITED]).report(path, force=True)
    assert shown_on(path) == []
    # Two columns of one usual name are no reason to refuse a report.
    twice = pandas.DataFrame({"text": [STORY, EDITED], "a": [1, 2], "b": [1, 2]})
    twice.columns = ["text", "title", "title"]
    nr.dedup(twice).report(path, force=True)
    assert shown_on(path) == []
