"""The page of passages in a real browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import SCRIPT, command_line, json_lines, needs_chromium
from test_report_page import Page

pytestmark = needs_chromium

FOOTER = (
    "All rights reserved. No part of this page may be copied or sold without the written consent "
    "of the publisher in Hamburg, whose office is open from nine to noon."
)
LETTER = (
    f"Subscribe {SCRIPT} to our letter, which comes on Mondays, costs nothing at all and can be "
    "left at any time by a click."
)
NOTICE = "本网站所载的全部内容，包括文字、图片和音频，版权均归本报社所有，未经书面许可，任何单位和个人不得转载、摘编或以其他方式使用。"  # noqa: RUF001
PASSAGES = [FOOTER, LETTER, NOTICE]
STORIES = [
    "The ferry is back, and so are its nine cooks, their pans and a captain who never sleeps. ",
    "Half of the bakeries in the old town close before noon now, says their guild in a report. ",
    "In the hills above the lake a shepherd has counted his sheep and found one more than there. ",
    "A comet that nobody had announced crossed the sky over the harbor at a quarter past nine. ",
]


def run(folder: Path, output: str, *arguments: str | Path) -> Path:
    """Runs passages over four documents, and returns the output folder."""
    with open(folder / "rows.jsonl", "w", encoding="utf-8") as out:
        for number, story in enumerate(STORIES):
            shared = PASSAGES[: 3 - max(0, number - 1)]
            text = "\n\n".join(part for passage in shared for part in (story * 6, passage))
            out.write(json.dumps({"id": f"<b>{number}", "text": text}) + "\n")
    command_line(
        "passages", folder / "rows.jsonl", "--output", folder / output, "--quiet", *arguments
    )
    return folder / output


def test_verdicts_are_marked_saved_and_obeyed(browser: Any, tmp_path: Path) -> None:
    page = Page(browser, run(tmp_path, "shared", "--report") / "report.html")
    assert "3 passages at 9 places, in 4 of 4 documents." in page.text("#glance")
    articles = page.page.locator("article.passage")
    assert articles.count() == 3
    assert "Hamburg" in articles.nth(0).inner_text()
    # Text that looks like markup is text.
    assert SCRIPT.strip() in articles.nth(1).inner_text()
    assert page.page.evaluate("window.hit") is None
    assert articles.nth(0).locator("section.text").count() == 3
    assert "<b>0" in articles.nth(0).inner_text()
    assert page.page.locator("#marks").is_hidden()
    # By key: the first is right, the second is for later; by click: the third is wrong.
    page.page.keyboard.press("j")
    page.page.keyboard.press("r")
    page.page.keyboard.press("l")
    articles.nth(2).locator("button[data-verdict=wrong]").click()
    assert "1 right, 1 wrong, 1 for later" in page.text("#marks")
    assert "--action cut --approved passage_verdicts.jsonl" in page.text("#marks code")
    # The verdicts outlive a change of the language.
    page.page.click("#language")
    assert "正确 1 个，错误 1 个" in page.text("#marks")  # noqa: RUF001
    page.page.click("#language")
    with page.page.expect_download() as download:
        page.page.click("#save")
    verdicts = tmp_path / "passage_verdicts.jsonl"
    download.value.save_as(verdicts)
    page.close()
    rows = json_lines(verdicts)
    assert [(row["passage"], row["documents"], row["verdict"]) for row in rows] == [
        (1, 4, "right"),
        (2, 3, "later"),
        (3, 2, "wrong"),
    ]
    cut = run(tmp_path, "cut", "--action", "cut", "--approved", verdicts, "--report")
    kept = [row["text"] for row in json_lines(cut / "kept" / "rows.jsonl")]
    assert [sum(passage in text for text in kept) for passage in PASSAGES] == [0, 3, 2]
    # The page of the run that obeys them has the approved ones; those that were refused are saved again.
    page = Page(browser, cut / "report.html")
    pressed = page.page.locator("article.passage [aria-pressed=true]").all_inner_texts()
    assert pressed == ["Right: may go"]
    page.close()


def test_passages_are_filtered_sorted_and_unfolded(browser: Any, tmp_path: Path) -> None:
    clauses = " ".join(
        f"The {word} of the tenant, if there is one, belongs to nobody but the tenant and the cat."
        for word in ("boat", "tree", "moon", "door", "fish", "lamp", "coat", "song", "bell", "ink")
    )
    rows = [{"text": f"{story * 20}\n\n{clauses}"} for story in STORIES[:2]]
    for story in STORIES[2:]:
        parts = (part for passage in PASSAGES for part in (story * 6, passage))
        rows.append({"text": "\n\n".join(parts)})
    path = tmp_path / "long.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    output = tmp_path / "shared"
    command_line("passages", path, "--output", output, "--report", "--quiet")
    page = Page(browser, output / "report.html", locale="zh-CN")
    assert "处" in page.text("#glance")
    page.page.click("#language")
    fold = page.page.locator("button.fold").first
    assert fold.get_attribute("aria-expanded") == "false"
    article = page.page.locator("article.passage", has=fold)
    before = len(article.inner_text())
    fold.press("Enter")
    assert fold.get_attribute("aria-expanded") == "true" and len(article.inner_text()) > before
    page.page.fill("#search", "所载的全部")
    assert page.page.locator("article.passage").count() == 1
    page.page.fill("#search", "no such words")
    assert "no such passage" in page.text("#browse")
    page.page.fill("#search", "")
    page.page.select_option("#pick", "letters")
    letters = page.page.evaluate("LISTS.letters().map((at) => PASSAGES[at].letters)")
    assert letters == sorted(letters, reverse=True) and len(letters) == 4
    page.close()
