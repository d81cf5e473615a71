"""The page of a report in a real browser."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Any

import pytest
from conftest import NEWS, OTHER, SCRIPT, command_line, json_lines, needs_chromium

pytestmark = needs_chromium


class Page:
    """An open report, with its errors."""

    def __init__(self, browser: Any, path: Path, address: str = "", **options: Any) -> None:
        self.context = browser.new_context(
            **{"locale": "en-US", "accept_downloads": True, **options}
        )
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri() + address)

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).first.inner_text())

    def close(self, files: int = 0) -> None:
        """Closes the page, which has loaded this number of files beside it."""
        assert self.errors == []
        assert len(self.requests) == 1 + files, self.requests
        self.context.close()


def report(folder: Path, rows: list[dict[str, Any]], *arguments: str | Path) -> Path:
    """Runs dedup over rows and returns its report."""
    with open(folder / "rows.jsonl", "w", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    output = folder / "clean"
    command = ["dedup", folder / "rows.jsonl", "--output", output, "--report", "--quiet"]
    # 3: something was left out.
    command_line(*command, *arguments, code=3 if "--on-error" in arguments else 0)
    return output / "report.html"


def news() -> list[dict[str, Any]]:
    """A story repeated with another figure, one repeated in another order, a notice with another
    day, and others."""
    rest = (
        "Guests may bring their dogs, their bicycles and whatever else they can carry, but no "
        "stoves and no open fire. " * 2
    )
    more = (
        "The captain, who has sailed the route for most of her life, calls the new engine the "
        "quietest she ever heard. "
    )
    story = f"{NEWS}. {OTHER}. {rest}{more}The harbor has hired 12 guards"
    paragraphs = [
        f"Paragraph {word} tells of {word}s, and of nothing else but {word}s."
        for word in ("boat", "tree", "moon", "door", "fish")
    ]
    other = (
        "In the hills above the town a shepherd has counted his sheep again and found one more "
        "than there should be"
    )
    return [
        {"id": "a/1", "text": story, "host": "one.example"},
        {
            "id": 9007199254740993,
            "text": story.replace("12 guards", "13 guards").replace("cracked", "broken"),
            "host": "two.example",
        },
        {"id": "p1", "text": " ".join(paragraphs), "host": "one.example"},
        {"id": "p2", "text": " ".join(paragraphs[2:] + paragraphs[:2]), "host": "two.example"},
        {"id": "o", "text": other, "host": "two.example"},
    ]


def test_the_page_says_what_was_removed(browser: Any, tmp_path: Path) -> None:
    page = Page(browser, report(tmp_path, news(), "--source-field", "host"))
    assert page.page.title() == "nearprint: clean"
    tiles = page.page.locator(".tile").all_inner_texts()
    assert [tile.split("\n")[0] for tile in tiles[:3]] == ["5", "3", "2"]
    assert "two.example" in page.text("#sources table") and "66.7 %" in page.text("#sources table")
    page.page.select_option("#pick", "leastSimilar")
    pairs = page.page.locator("#browse .pair")
    assert pairs.count() == 2
    # An integer beyond the range of JavaScript is shown exactly.
    assert "9007199254740993" in page.text("#browse")
    assert page.page.locator("#browse mark.own", has_text="broken").count() == 1
    assert page.page.locator("#browse mark.figure", has_text="13").count() == 1
    assert page.page.locator("mark.moved").count() >= 2
    page.close()


def test_moved_passages_lead_to_each_other(browser: Any, tmp_path: Path) -> None:
    page = Page(browser, report(tmp_path, news()))
    page.page.select_option("#pick", "leastSimilar")
    moved = page.page.locator("#browse .pair mark.moved").first
    moved.click()
    marked = page.page.locator("#browse mark.partner")
    assert marked.count() == 2
    texts = marked.all_inner_texts()
    assert texts[0].split()[0] == texts[1].split()[0]
    page.close()


def test_language_and_theme_are_switched(browser: Any, tmp_path: Path) -> None:
    path = report(tmp_path, news())
    page = Page(browser, path, color_scheme="dark")
    assert page.page.locator("html").get_attribute("data-theme") == "dark"
    page.page.click("#theme")
    assert page.page.locator("html").get_attribute("data-theme") == "light"
    page.page.click("#language")
    assert page.page.locator("html").get_attribute("lang") == "zh-CN"
    assert "概览" in page.text("nav") and "读入文档" in page.text(".tiles")
    page.close()
    page = Page(browser, path, locale="zh-CN")
    assert "概览" in page.text("nav")
    page.close()


def test_marks_are_made_by_key_and_saved(browser: Any, tmp_path: Path) -> None:
    page = Page(browser, report(tmp_path, news()))
    page.page.select_option("#pick", "leastSimilar")
    page.page.locator("#browse h2").click()
    # A mark moves on to the next pair.
    for key in ("j", "r", "w"):
        page.page.keyboard.press(key)
    assert "1 marked right, 1 wrong" in page.text("#marks")
    pressed = page.page.locator("#browse article.pair [aria-pressed=true]")
    assert pressed.all_inner_texts() == ["Right", "Wrong"]
    # Switching the language keeps the marks.
    page.page.click("#language")
    assert "正确 1 对" in page.text("#marks")
    page.page.click("#language")
    with page.page.expect_download() as download:
        page.page.click("#marks button")
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in saved.splitlines()]
    assert sorted(row["verdict"] for row in rows) == ["right", "wrong"]
    assert {row["left"] for row in rows} == {9007199254740993, "p2"}
    # Repeating a mark removes it.
    page.page.locator("article.pair [aria-pressed=true]").first.click()
    assert "0 marked right, 1 wrong" in page.text("#marks")
    page.close()


def test_the_marks_of_the_run_are_saved_with_the_new_ones(browser: Any, tmp_path: Path) -> None:
    first = {"left": "p2", "right": "nobody", "verdict": "right"}
    path = report(tmp_path, news())
    with open(path.parent / "removed.jsonl", encoding="utf-8") as rows:
        removed = [json.loads(row) for row in rows]
    pair = next(row for row in removed if row["id"] == "p2")
    second = {"left": pair["keeper"], "right": pair["id"], "verdict": "right"}
    marks = tmp_path / "marks.jsonl"
    marks.write_text(json.dumps(first) + "\n" + json.dumps(second) + "\n", encoding="utf-8")
    page = Page(browser, report(tmp_path, news(), "--force", "--marks", marks))
    assert "2 marked right, 0 wrong. The marks of this run are among them." in page.text("#marks")
    page.page.select_option("#pick", "leastSimilar")
    other = page.page.locator(
        "#browse .pair", has=page.page.locator("[data-verdict=true][aria-pressed=false]")
    )
    other.first.locator("[data-verdict=false]").click()
    page.page.locator("#browse .pair [data-verdict=true][aria-pressed=true]").click()
    page.page.locator("#browse .pair", has_text="p2").first.locator("[data-verdict=false]").click()

    def saved() -> list[tuple[object, ...]]:
        with page.page.expect_download() as download:
            page.page.click("#marks button")
        text = Path(download.value.path()).read_text(encoding="utf-8")
        rows = [json.loads(line) for line in text.splitlines()]
        return [(row["left"], row["right"], row["verdict"]) for row in rows]

    found = saved()
    assert found[0] == ("p2", "nobody", "right")
    assert ("p2", pair["keeper"], "wrong") in found[1:] and len(found) == 3
    page.close()


def test_marks_are_counted_up_to_a_proposal(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "few").mkdir()
    few = Page(browser, report(tmp_path / "few", news()))
    few.page.select_option("#pick", "leastSimilar")
    few.page.locator("#browse .pair").first.focus()
    few.page.keyboard.press("r")
    assert "1 of the 2 pairs of this run" in few.text("#marks")
    few.page.keyboard.press("r")
    assert "only from both right and wrong marks" in few.text("#marks")
    few.page.keyboard.press("w")
    assert "nearprint evaluate " in few.text("#marks") and "Enough" in few.text("#marks")
    few.close()
    page = Page(browser, report(tmp_path, edited(55, 60, 5)))
    page.page.select_option("#pick", "leastSimilar")
    page.page.locator("#browse .pair").first.focus()
    page.page.keyboard.press("w")
    for _ in range(48):
        page.page.keyboard.press("r")
    assert "49 of 50 marks" in page.text("#marks")
    page.page.keyboard.press("r")
    assert "Enough" in page.text("#marks")
    page.close()


def test_unsaved_marks_are_not_lost_without_a_question(browser: Any, tmp_path: Path) -> None:
    page = Page(browser, report(tmp_path, news()))
    # A page to wait in, since the other one may be closing.
    other = page.context.new_page()
    asked: list[str] = []

    def dismiss(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    def leaves() -> bool:
        """True if the page closes without a question."""
        before = len(asked)
        page.page.close(run_before_unload=True)
        for _ in range(50):
            if page.page.is_closed() or len(asked) > before:
                return len(asked) == before
            other.wait_for_timeout(100)
        raise AssertionError("the page neither closes nor asks")

    page.page.on("dialog", dismiss)
    page.page.select_option("#pick", "leastSimilar")
    right = page.page.locator("#browse .pair [data-verdict=true]").first
    right.click()
    assert not leaves() and asked == ["beforeunload"]
    with page.page.expect_download():
        page.page.click("#marks button")
    # A mark made after saving would also be lost.
    page.page.locator("#browse .pair [data-verdict=false]").nth(1).click()
    assert not leaves()
    with page.page.expect_download():
        page.page.click("#marks button")
    assert leaves() and asked == ["beforeunload"] * 2
    page.close()


def test_ids_and_texts_are_searched(browser: Any, tmp_path: Path) -> None:
    page = Page(browser, report(tmp_path, news()))
    for wanted, ids in [("broken", ["9007199254740993"]), ("P2", ["p2"]), ("no such words", [])]:
        page.page.fill("#search", wanted)
        assert page.page.locator("#browse .pair").count() == len(ids)
        assert all(id in page.text("#browse") for id in ids)
    assert "No match." in page.text("#browse")
    # A search covers all lists; picking a list ends the search.
    page.page.select_option("#pick", "missed")
    assert (
        page.page.locator("#browse .pair").count() == 0 and page.page.input_value("#search") == ""
    )
    page.page.fill("#search", "broken")
    assert page.page.locator("#browse .pair").count() == 1
    assert "all lists" in str(page.page.get_attribute("#search", "aria-label"))
    page.close()


def words_of(name: str, count: int) -> list[str]:
    """This number of words, different for each name."""
    random = Random(name)
    return ["".join(random.choices(ascii_lowercase, k=6)) for _ in range(count)]


def with_others(own: list[str], changed: int, name: str) -> list[str]:
    """Words with this number left out early in the text, and as many others added late."""
    left_out, added = len(own) // 6, 3 * len(own) // 4
    return own[:left_out] + own[left_out + changed : added] + words_of(name, changed) + own[added:]


def edited(count: int, words: int, changed: int) -> list[dict[str, Any]]:
    """Texts of a number of words, each with an edited copy that lacks some of them and has as many
    others."""
    rows = []
    for n in range(count):
        own = words_of(f"own {changed} {n}", words)
        copy = with_others(own, changed, f"copy {changed} {n}")
        rows += [
            {"id": f"{changed}/{n}", "text": " ".join(own)},
            {"id": f"{changed}/{n} copy", "text": " ".join(copy)},
        ]
    return rows


def test_keys_load_more_and_pass_marked_pairs(browser: Any, tmp_path: Path) -> None:
    page = Page(browser, report(tmp_path, edited(14, 60, 6)))
    page.page.select_option("#pick", "leastSimilar")
    pairs = page.page.locator("#browse .pair")
    at_hand = "document.activeElement.closest('article.pair').dataset.pair"
    assert pairs.count() == 10
    pairs.nth(9).focus()
    page.page.keyboard.press("j")
    assert pairs.count() == 14 and page.page.evaluate(at_hand) == pairs.nth(10).get_attribute(
        "data-pair"
    )
    pairs.nth(12).focus()
    page.page.keyboard.press("w")
    pairs.nth(11).focus()
    page.page.keyboard.press("r")
    # The next pair already has a mark.
    assert page.page.evaluate(at_hand) == pairs.nth(13).get_attribute("data-pair")
    # A repeated key does not remove a mark.
    pairs.nth(12).focus()
    page.page.keyboard.press("w")
    assert page.page.evaluate(at_hand) == pairs.nth(13).get_attribute("data-pair")
    assert "1 marked right, 1 wrong" in page.text("#marks")
    page.page.select_option("#pick", "unmarked")
    assert "of 12 shown" in page.text("#browse")
    page.page.focus("#show-more")
    page.page.keyboard.press("Enter")
    assert page.page.evaluate(at_hand) == pairs.nth(10).get_attribute("data-pair")
    page.close()


def family(name: str, sizes: list[int]) -> list[dict[str, Any]]:
    """A text of many words, and for each number a copy that lacks this many of them and has as many
    others. From four texts on, they form a family, in which a tenth may be lost."""
    own = words_of(name, 60)
    copies = [with_others(own, changed, f"{name} {changed}") for changed in sizes]
    return [
        {"id": f"{name} {n}", "text": " ".join(text), "host": f"{name}{n % 2}.example"}
        for n, text in enumerate([own, *copies])
    ]


def test_clusters_are_browsed(browser: Any, tmp_path: Path) -> None:
    rows = family("large", [2, 4, 3]) + family("far", [12]) + family("near", [1, 2])
    # A distance wide enough to find the far copy.
    path = report(
        tmp_path, rows, "--source-field", "host", "--max-distance", "90", "--keep", "first"
    )
    page = Page(browser, path, viewport={"width": 390, "height": 800})
    page.page.select_option("#pick", "largest")
    clusters = page.page.locator("#browse .cluster")
    heads = page.page.locator("#browse .cluster > summary")
    assert [text.split(" · ")[1] for text in heads.all_inner_texts()] == [
        "4 documents",
        "3 documents",
        "2 documents",
    ]
    first = heads.first.inner_text()
    assert first.startswith("Cluster 1 ") and "from large0.example, large1.example" in first
    assert " ".join(rows[0]["text"].split()[:9]) in first
    assert page.page.locator("#browse .pair").count() == 0
    page.page.select_option("#pick", "least")
    least = [float(text.split("minimum similarity ")[1][:5]) for text in heads.all_inner_texts()]
    assert least == sorted(least) and "2 documents" in heads.first.inner_text()
    assert clusters.count() == 3
    # An open cluster shows its keeper once, first beside the least similar document, then beside
    # the picked one.
    page.page.select_option("#pick", "largest")
    heads.first.click()
    shown, keepers = (
        page.page.locator("#browse .pair:visible"),
        page.page.locator("#browse .text:visible", has_text="large 0"),
    )
    members = clusters.first.locator(".member[data-member]")
    members.nth(2).wait_for()
    assert members.count() == 3 and shown.count() == 1 and keepers.count() == 1
    similarities = [float(text[:5]) for text in members.all_inner_texts()]
    assert similarities == sorted(similarities) and "large 2" in members.first.inner_text()
    assert "large 2" in shown.inner_text() and shown.locator("mark.own").count() > 0
    members.nth(2).click()
    assert (
        members.nth(2).get_attribute("aria-pressed") == "true"
        and members.first.get_attribute("aria-pressed") == "false"
    )
    assert (
        shown.count() == 1
        and keepers.count() == 1
        and members.nth(2).inner_text().split(" ", 1)[1] in shown.inner_text()
    )
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_clusters_are_browsed_by_keys(browser: Any, tmp_path: Path) -> None:
    page = Page(
        browser,
        report(tmp_path, family("large", [2, 4, 3]) + family("near", [1, 2]), "--keep", "first"),
    )
    page.page.select_option("#pick", "largest")
    heads, members = (
        page.page.locator("#browse .cluster > summary"),
        page.page.locator("#browse .member[data-member]"),
    )
    heads.first.focus()
    page.page.keyboard.press("Enter")
    # The browser reports an opened cluster a moment later.
    members.nth(2).wait_for()
    assert members.count() == 3
    for key, marked in [("j", 0), ("r", 1), ("w", 2), ("r", 3)]:
        page.page.keyboard.press(key)
        assert (
            page.page.locator(
                "#browse .member[data-mark=true], #browse .member[data-mark=false]"
            ).count()
            == marked
        )
    assert [members.nth(n).get_attribute("data-mark") for n in range(3)] == [
        "true",
        "false",
        "true",
    ]
    assert "2 marked right, 1 wrong" in page.text("#marks")
    # After all pairs of a cluster are marked, j goes to the next cluster; k goes back to the last
    # document of the first one.
    assert page.page.evaluate("document.activeElement.textContent").startswith("Cluster 2 ")
    page.page.keyboard.press("k")
    assert page.page.locator("#browse .pair:visible").get_attribute("data-pair") == members.nth(
        2
    ).get_attribute("data-member")
    page.close()


def test_a_pair_leads_to_its_cluster(browser: Any, tmp_path: Path) -> None:
    page = Page(
        browser,
        report(tmp_path, family("large", [2, 4, 3]) + family("near", [1, 2]), "--keep", "first"),
    )
    page.page.fill("#search", "near 2")
    page.page.click("#browse .to-cluster")
    assert page.page.input_value("#search") == "#2"
    page.page.locator("#browse .member").nth(1).wait_for()
    assert (
        page.page.locator("#browse .cluster").count() == 1
        and page.page.locator("#browse .member[data-member]").count() == 2
    )
    page.close()


def test_unmarked_pairs_near_the_bound_come_first(browser: Any, tmp_path: Path) -> None:
    rows = [row for changed in (4, 10, 14, 16, 18) for row in edited(2, 60, changed)]
    page = Page(browser, report(tmp_path, rows, "--max-distance", "90"))
    page.page.select_option("#pick", "unmarked")
    shown = page.page.locator("#browse .pair > p > b").all_inner_texts()
    away = [abs(float(similarity) - 0.75) for similarity in shown]
    assert len(away) > 4 and away == sorted(away)
    assert any(float(similarity) < 0.75 for similarity in shown) and any(
        float(similarity) > 0.75 for similarity in shown
    )
    page.close()


def test_alarms_show_what_they_are_about(browser: Any, tmp_path: Path) -> None:
    quiet = Page(browser, report(tmp_path, edited(3, 60, 5)))
    none = quiet.page.locator("#glance details", has_text="No limit was crossed")
    none.locator("summary").click()
    none = none.inner_text()
    assert (
        "a source of 10 or more documents lost more than 50 %" in none
        and "within 0.02 of the bound" in none
        and "{" not in none
    )
    quiet.page.click("#language")
    none = quiet.page.locator("#glance details", has_text="没有发现需要先看的情况")
    none.locator("summary").click()
    none = none.inner_text()
    assert "10 篇或更多文档的来源被删除 50 % 以上" in none and "{" not in none
    quiet.close()
    rows = edited(12, 100, 24)
    rows.append(
        {
            "id": "long",
            "text": rows[0]["text"] + " and this " + " ".join(f"more{n}" for n in range(35)),
        }
    )
    page = Page(
        browser, report(tmp_path, rows, "--keep", "first", "--max-distance", "90", "--force")
    )
    alarms = page.text(".alarm")
    assert "near removals" in alarms and "within 0.02 of the bound" in alarms
    assert "1 of 13 near removals are longer than their keepers by 20 % or more" in alarms
    page.page.locator(".alarm p", has_text="longer").locator("button").click()
    assert (
        page.page.input_value("#pick") == "longer"
        and page.page.locator("#browse .pair").count() == 1
    )
    assert "The removed one is longer:" in page.text("#browse .pair")
    page.page.locator(".alarm p", has_text="within 0.02").locator("button").click()
    assert page.page.input_value("#pick") == "leastSimilar"
    page.close()


def test_what_decides_is_told_in_the_language_of_the_page(browser: Any, tmp_path: Path) -> None:
    rows = news()[:2]
    # One word and one of five figures differ (Monday, eleven, may twice, 12), and each text has its
    # own beginning and end.
    ends = [
        ("From the evening paper", "Share this with friends"),
        ("Our correspondent writes", "All rights reserved by an agency"),
    ]
    for row, (first, last) in zip(rows, ends):
        row["text"] = (
            f"{first}. {row['text']}, who count everybody that comes aboard or leaves. {last}."
        )
    path = report(tmp_path, rows)
    removed = json_lines(path.parent / "removed.jsonl")[0]
    share, lost = (f"{100 * removed[name]:.1f} %" for name in ("share", "lost"))
    page = Page(browser, path, locale="zh-CN")
    page.page.select_option("#pick", "leastSimilar")
    told = page.text("#browse .pair > p")
    assert (
        f"被删除的一篇有 {lost} 的内容不在保留文档中。两篇有 {share} 也出现在对方里，有 4 处不同，其中 2 处是词换词，"
        in told
    )
    assert (
        told.endswith("5 个数字中有 1 个互相矛盾，各自独有的开头和结尾只计三分之一。")
        and "{" not in told
    )
    page.page.click("#language")
    page.page.select_option("#pick", "leastSimilar")
    told = page.text("#browse .pair > p")
    assert (
        f"{lost} of it is missing from its keeper. {share} of both texts is shared; places that "
        "differ: 4;" in told
    )
    assert "; of these with exchanged words: 2; contradicting figures: 1 of 5;" in told
    assert told.endswith("; a beginning or end that only one text has counts a third.")
    page.close()
    # A copy with only more words has none of these counts.
    rows = [
        {"id": "a", "text": rows[0]["text"]},
        {
            "id": "b",
            "text": rows[0]["text"].replace("fire. The captain", "fire at all. The captain"),
        },
    ]
    page = Page(browser, report(tmp_path, rows, "--force"))
    page.page.select_option("#pick", "leastSimilar")
    told = page.text("#browse .pair > p")
    assert " places that differ: 1" in told
    assert not any(said in told for said in ("exchanged words", "contradict", "counts a third"))
    page.close()


def test_the_first_pair_is_on_the_first_screen_and_anchors_stay_in_view(
    browser: Any, tmp_path: Path
) -> None:
    rows = news() + family("large", [2, 4, 3])
    page = Page(browser, report(tmp_path, rows), viewport={"width": 1280, "height": 720})
    box = page.page.locator("#browse .pair .text > div").first.bounding_box()
    assert box is not None and box["y"] < 720
    head = page.page.locator("nav")
    for section in ("sources", "plots", "browse"):
        page.page.click(f"nav a[href='#{section}']")
        top = page.page.locator(f"#{section} h2").bounding_box()
        bar = head.bounding_box()
        assert bar is not None and top is not None
        assert bar["y"] == 0 and top["y"] >= bar["height"], section
    page.close()


def test_every_removal_is_in_the_list(browser: Any, tmp_path: Path) -> None:
    page = Page(browser, report(tmp_path, edited(25, 60, 5) + family("large", [2, 4, 3])))
    assert "10 of 28 shown" in page.text("#browse [role=status]:not(.filter)")
    for _ in range(2):
        page.page.click("#show-more")
    pairs = page.page.locator("#browse .pair")
    assert pairs.count() == 28 and not page.page.locator("#show-more").is_visible()
    numbers = {pairs.nth(n).get_attribute("data-pair") for n in range(28)}
    assert len(numbers) == 28
    page.close()


def test_bars_and_rows_filter_the_list(browser: Any, tmp_path: Path) -> None:
    rows = news() + family("large", [2, 4, 3])
    path = report(tmp_path, rows, "--source-field", "host", "--keep", "first")
    page = Page(browser, path)
    pairs, filtered = page.page.locator("#browse .pair"), page.page.locator("#browse .filter")
    assert pairs.count() == 5 and not filtered.is_visible()
    page.page.locator("#sources .press", has_text="two.example").click()
    assert pairs.count() == 2 and "removed from two.example" in filtered.inner_text()
    assert all(
        "two.example" in text for text in pairs.locator(".text:first-child").all_inner_texts()
    )
    # The filter outlives a change of the language.
    page.page.click("#language")
    assert pairs.count() == 2 and "从 two.example 删除的" in filtered.inner_text()
    page.page.click("#language")
    page.page.click("#filter-clear")
    assert pairs.count() == 5 and not filtered.is_visible()
    removed = [row["similarity"] for row in json_lines(path.parent / "removed.jsonl")]
    bars = page.page.locator("#plots figure").first.locator("rect.press")
    for n in range(bars.count()):
        bar = bars.nth(n)
        hundredth, count = bar.locator("title").text_content().split(" removed")[0].split(": ")
        bar.focus()
        page.page.keyboard.press("Enter")
        shown = [float(text) for text in pairs.locator("> p > b").all_inner_texts()]
        assert len(shown) == int(count) and all(value // 0.01 / 100 for value in shown)
        assert len(shown) == sum(f"{int(s * 100 + 1e-7) / 100:.2f}" == hundredth for s in removed)
    page.page.locator("#plots figure").nth(1).locator("rect.press").last.click()
    assert page.page.input_value("#pick") == "largest"
    assert page.page.locator("#browse .cluster").count() == 1
    page.page.locator("#plots figure").nth(2).locator("rect.press").last.click()
    assert pairs.count() >= 1 and "characters" in filtered.inner_text()
    page.page.locator("#glance .press", has_text="near duplicates").click()
    assert filtered.inner_text().startswith("Only")
    page.close()


def test_an_address_opens_its_pair(browser: Any, tmp_path: Path) -> None:
    path = report(tmp_path, news())
    page = Page(browser, path)
    pair = page.page.locator("#browse .pair").filter(has=page.page.locator("text=p2")).first
    address = pair.locator(".verdict a").get_attribute("href")
    assert address == "#pair-p2+p1" or address == "#pair-p1+p2"
    pair.locator(".verdict a").click()
    pairs = page.page.locator("#browse .pair")
    page.page.locator("#browse .filter").wait_for()
    assert pairs.count() == 1 and page.page.url.endswith(address)
    page.close()
    for wanted in (address, "#pair-9007199254740993", address.split("+")[0]):
        page = Page(browser, path, address=wanted)
        pairs = page.page.locator("#browse .pair")
        assert pairs.count() == 1
        assert ("9007199254740993" if "9007" in wanted else "p2") in pairs.inner_text()
        box = page.page.locator("#browse .text").first.bounding_box()
        assert box is not None and 0 <= box["y"] < 720
        page.page.click("#filter-clear")
        assert pairs.count() == 2
        page.close()
    for wanted in ("#pair-nobody", "#pair-%E0%A4%A", "#pair-" + "%3Cb%3E"):
        page = Page(browser, path, address=wanted)
        assert page.page.locator("#browse .pair").count() == 0
        assert "does not have" in page.text("#browse .filter")
        page.close()


def test_folded_passages_unfold(browser: Any, tmp_path: Path) -> None:
    long = " ".join(words_of("long", 400))
    rows = [{"id": "a", "text": long}, {"id": "b", "text": f"{long} {SCRIPT}"}]
    page = Page(browser, report(tmp_path, rows))
    texts = page.page.locator("#browse .pair .text > div")
    assert texts.count() == 2 and page.page.locator("#browse .fold").count() == 2
    assert long not in texts.first.inner_text()
    for _ in range(2):
        page.page.locator("#browse .fold").first.click()
    assert page.page.locator("#browse .fold").count() == 0
    assert all(long in text for text in texts.all_inner_texts())
    page.close()


def test_fields_of_both_documents_are_text(browser: Any, tmp_path: Path) -> None:
    rows = news()
    rows[0]["title"] = "The <b>ferry</b> " + SCRIPT
    rows[1] |= {"title": "The other ferry", "date": "2024-02-01"}
    page = Page(browser, report(tmp_path, rows))
    page.page.fill("#search", "other ferry")
    shown = page.page.locator("#browse .pair").inner_text()
    assert page.page.locator("#browse .pair").count() == 1
    assert "The <b>ferry</b> <script>" in shown and "date 2024-02-01" in shown
    assert "host one.example" in shown and page.page.evaluate("window.hit") is None
    page.close()


def test_a_reason_of_another_version_has_its_name(browser: Any, tmp_path: Path) -> None:
    path = report(tmp_path, news())
    removed = path.parent / "removed.jsonl"
    rows = removed.read_text(encoding="utf-8")
    removed.write_text(rows.replace('"reason":"near"', '"reason":"listed"'), encoding="utf-8")
    command_line("report", path.parent, "--quiet")
    page = Page(browser, path)
    assert "listed" in page.text("#glance .legend")
    assert any(
        "Removed (listed)" in text for text in page.page.locator(".pair > p").all_inner_texts()
    )
    page.close()


def many() -> list[dict[str, Any]]:
    """Long texts and their copies, which take more than 20 MB of a page."""
    rows: list[dict[str, Any]] = []
    for n in range(220):
        text = " ".join(f"w{word * 7919 % 104_729}x{n}" for word in range(5000))
        rows += [{"id": n, "text": text}, {"id": f"{n} copy", "text": f"{text} more{n}"}]
    return rows


def test_many_texts_are_loaded_from_files(browser: Any, tmp_path: Path) -> None:
    path = report(tmp_path, many(), "--keep", "first")
    assert path.stat().st_size < 2_000_000 and (path.parent / "report-data").is_dir()
    page = Page(browser, path)
    texts = page.page.locator("#browse .pair .text > div")
    page.page.locator("#browse .pair .fold").first.wait_for()
    assert texts.count() == 20
    loaded = len(page.requests) - 1
    assert 1 <= loaded < 10
    # Each part opens.
    ids = page.page.evaluate("DATA.parts.map((first) => DOCUMENTS[PAIRS[first].d][0])")
    for own in ids:
        page.page.evaluate(
            "(own) => { location.hash = `#pair-${encodeURIComponent(own)}`; }", json.loads(own)
        )
        page.page.locator(
            f"#browse .pair .text:has-text('{json.loads(own)}') .fold"
        ).first.wait_for()
    assert len(page.requests) - 1 == len(ids) > 10
    page.page.fill("#search", "no such words")
    assert "the texts that are loaded" in page.text("#browse [role=status]:not(.filter)")
    # No other script gets in.
    ran = page.page.evaluate(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; "
        "document.body.append(s); return window.ran })()"
    )
    assert ran is None
    page.errors.clear()
    page.close(files=len(ids))
    # Without its files the page says so.
    for file in (path.parent / "report-data").rglob("*.js"):
        file.unlink()
    page = Page(browser, path)
    page.page.locator("#browse .text", has_text="cannot be loaded").first.wait_for()
    page.context.close()


def test_changed_inputs_are_told(browser: Any, tmp_path: Path) -> None:
    path = report(tmp_path, news())
    input = tmp_path / "rows.jsonl"
    input.write_text(
        input.read_text(encoding="utf-8").replace("broken", "tattoo"), encoding="utf-8"
    )
    command_line("report", path.parent, "--quiet")
    page = Page(browser, path)
    assert "1 of 1 input files have changed since the run" in page.text(".alarm")
    page.close()


def test_what_was_left_out_is_told_first(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "input"
    folder.mkdir()
    (folder / "notes.unknown").write_text("of no format\n", encoding="utf-8")
    (folder / "broken.jsonl").write_text("not JSON\n" * 2, encoding="utf-8")
    marks = tmp_path / "marks.jsonl"
    mark = {"left": "gone", "right": "a/1", "verdict": "wrong"}
    marks.write_text(json.dumps(mark) + "\n", encoding="utf-8")
    rows = [*news(), {"id": "no text"}]
    rows[0]["day"] = "some day"
    flags = ["--on-error", "skip", "--max-rejected", "100%", "--keep", "newest:day"]
    path = report(tmp_path, rows, folder, "--marks", marks, *flags)
    page = Page(browser, path, viewport={"width": 1280, "height": 900})
    lines = page.page.locator(".alarm p").all_inner_texts()
    assert [line.split(str(tmp_path))[0] for line in lines] == [
        "1 file left out whole (2 rows): ",
        "1 file of unknown format passed over.",
        "The field day, which ranks documents, has a value that is no date in 1 document, such "
        'as "some day" (',
        f"The field day, which ranks documents, has no value in {len(rows) - 2} documents, which "
        "rank below all dates.",
        "1 of 1 mark not used, such as row 1 of ",
    ]
    assert lines[0].endswith("broken.jsonl; 1 row left out: see rejected.jsonl.")
    assert lines[2].endswith("rows.jsonl, row 1), which ranks below all dates.")
    assert lines[4].endswith(": gone is not in this run, or not compared with the other one.")
    page.page.click("#language")
    lines = page.page.locator(".alarm p").all_inner_texts()
    assert lines[0].startswith("1 个文件整个被跳过（2 行）：") and "{" not in "".join(lines)
    assert lines[0].endswith("；1 行被跳过：见 rejected.jsonl。")
    page.close()


def test_the_box_of_alarms_cuts_nothing(browser: Any, tmp_path: Path) -> None:
    rows = [
        {"id": f"{host}{n}", "text": f"{NEWS} as {host} says{'.' * n}", "host": host}
        for host in "abc"
        for n in range(12)
    ]
    flags = ["--source-field", "host", "--same", "host"]
    path = report(tmp_path, rows, *flags)
    page = Page(browser, path, viewport={"width": 1280, "height": 900})
    box = page.page.locator(".alarm")
    assert box.evaluate("(box) => box.scrollHeight <= box.clientHeight")
    # The first line of a kind is shown, the others on a click.
    sources = box.locator("p", has_text="lost 91.7 % of its documents")
    assert [line.is_visible() for line in sources.all()] == [True, False, False]
    box.locator("summary").click()
    sources.last.locator("button").click()
    assert page.page.locator("#browse .filter").is_visible()
    page.close()


@pytest.mark.parametrize(
    ("action", "tile", "told"),
    [
        ("cut", "documents cut", "Kept without characters"),
        ("mask", "documents masked", "Kept with [masked] in place of characters"),
        ("list", "documents listed", "Kept and listed: characters"),
    ],
)
def test_leaks_in_documents_that_stay_are_shown(
    browser: Any, tmp_path: Path, action: str, tile: str, told: str
) -> None:
    rest = "Half of the bakeries close before noon, and nobody in the valley knows why. "
    rows = [
        {"id": "holder", "text": f"{rest * 3}{NEWS}. {OTHER}"},
        {"id": "two", "text": f"{NEWS}. {rest * 2}{OTHER}"},
        {"id": "clean", "text": rest},
    ]
    (tmp_path / "test.jsonl").write_text(
        "".join(
            json.dumps({"id": f"q{n}", "text": text}) + "\n" for n, text in enumerate([NEWS, OTHER])
        ),
        encoding="utf-8",
    )
    against: list[str | Path] = ["--against", tmp_path / "test.jsonl", "--leak-action", action]
    page = Page(browser, report(tmp_path, rows, *against))
    tiles = {
        text.split("\n")[1]: text.split("\n")[0]
        for text in page.page.locator(".tile").all_inner_texts()
    }
    assert (tiles["removed"], tiles[tile]) == ("0", "2")
    assert (
        page.page.locator("#pick option").first.inner_text()
        == "removals and leaks, the least similar first"
    )
    pairs = page.page.locator("#browse .pair")
    assert pairs.count() == len(json_lines(tmp_path / "clean" / "leaks.jsonl")) == 4
    assert all(told in text for text in pairs.locator("> p").all_inner_texts())
    heads = pairs.first.locator(".text header b").all_inner_texts()
    assert heads == ["kept", "reference"] and "ferry" in pairs.first.inner_text()
    page.page.locator(".tile.press").click()
    assert tile in page.text("#browse .filter") and pairs.count() == 4
    page.page.click("#language")
    assert "{" not in page.text("#glance") + "".join(pairs.locator("> p").all_inner_texts())
    page.close()


def test_a_share_that_counts_less_is_explained(browser: Any, tmp_path: Path) -> None:
    path = report(tmp_path, news())
    removed = path.parent / "removed.jsonl"
    rows = json_lines(removed)
    near = [row for row in rows if row["reason"] == "near"]
    for similarity, why in [
        (0.75, "three or more near neighbors"),
        (0.82, "a part that the other lacks"),
    ]:
        near[0] |= {"similarity": similarity, "share": 0.8854}
        removed.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        command_line("report", path.parent, "--quiet")
        page = Page(browser, path)
        page.page.fill("#search", str(near[0]["id"]))
        told = page.text("#browse .pair > p")
        assert f"share 88.5 % of their letters. This counts as {similarity:.3f}, since" in told
        assert why in told and "of both texts is shared" not in told
        page.close()


def test_a_phone_shows_all_of_it(browser: Any, tmp_path: Path) -> None:
    rows = news()
    rows[0]["text"] += " " + "x" * 4000
    rows[1]["text"] += " " + "x" * 4000
    page = Page(browser, report(tmp_path, rows), viewport={"width": 360, "height": 700})
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
    page.close()


def hostile() -> list[dict[str, Any]]:
    """Scripts, huge lines, a large family, right-to-left scripts, and invisible characters."""
    unseen = "\u202e\u200b\u2066\ufeff\u0000\u001b[2J"
    texts = [
        SCRIPT + NEWS,
        SCRIPT + NEWS + " today",
        f"{unseen} {OTHER}",
        f"{OTHER} {unseen} anew",
        "شركة النقل البحري تعيد تشغيل العبارة يوم الاثنين بعد أحد عشر أسبوعا من إصلاح عمود "
        "المروحة المتصدع في الميناء القديم",
        "شركة النقل البحري تعيد تشغيل العبارة يوم الثلاثاء بعد أحد عشر أسبوعا من إصلاح عمود "
        "المروحة المتصدع في الميناء القديم",
        "long " + "abcdefghij" * 100_000,
        "long " + "abcdefghij" * 100_000 + " end",
        "z" + "\u0301" * 3000 + " " + NEWS[::-1],
        "z" + "\u0301" * 3000 + " " + NEWS[::-1] + " again",
    ]
    family = [
        f"{OTHER}. The guild meets in hall number one, and whoever comes late stands. "
        f"{'.' * (n % 7)}"
        for n in range(10_000)
    ]
    rows = [{"id": f"</script><b>{n}", "text": text, "host": "<i>"} for n, text in enumerate(texts)]
    return rows + [
        {"id": f"f{n}", "text": text, "host": "\u202efamily"} for n, text in enumerate(family)
    ]


def test_a_hostile_corpus_is_text(browser: Any, tmp_path: Path) -> None:
    path = report(tmp_path, hostile(), "--source-field", "host")
    assert path.stat().st_size < 20_000_000
    page = Page(browser, path)
    page.page.select_option("#pick", "leastSimilar")
    while page.page.locator("#show-more").is_visible():
        page.page.click("#show-more")
        if page.page.locator("#browse .pair").count() > 60:
            break
    page.page.fill("#search", "window.hit")
    assert "<script>window.hit = 1</script>" in page.text("#browse .pair .text > div")
    page.page.fill("#search", "anew")
    assert "U+202E" in page.text("#browse .pair .text > div")
    assert page.page.evaluate("window.hit") is None
    assert page.page.locator("img").count() == 0
    assert "10,001" in page.text(".alarm") or "10,000" in page.text(".alarm")
    assert page.errors == []
    # The content security policy blocks a script that got into the page.
    ran = page.page.evaluate(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; "
        "document.body.append(s); return window.ran })()"
    )
    assert ran is None
    page.errors.clear()
    page.close()


def test_a_bound_between_hundredths_is_told_as_it_is(browser: Any, tmp_path: Path) -> None:
    path = report(tmp_path, edited(3, 200, 10), "--min-similarity", "0.875")
    page = Page(browser, path)
    assert "At 0.875:" in page.text("#bound .answer")
    assert "--min-similarity 0.875 --output NEW" in page.text("#bound code")
    page.close()


@pytest.mark.parametrize("just_missed", ["0.5", None])
def test_the_slider_says_how_many_another_bound_would_remove(
    browser: Any, tmp_path: Path, just_missed: str | None
) -> None:
    base = (
        f"{NEWS}. {OTHER}. Guests may bring their dogs, their bicycles and whatever else they "
        "can carry."
    )
    texts = [
        base,
        base + " " + "The captain calls the new engine the quietest ever. ",
        base
        + " "
        + "A shepherd counted his sheep again and found one more than there should be. " * 2,
    ]
    texts.append(
        base + " In the hills above the town stands a chapel which nobody has entered since the "
        "great storm took its roof and bells." * 2
    )
    rows = [{"id": number, "text": text} for number, text in enumerate(texts)]
    path = report(tmp_path, rows, *(["--just-missed", just_missed] if just_missed else []))
    summary = json.loads((path.parent / "summary.json").read_text(encoding="utf-8"))
    bounds = summary["bounds"]["removed"]
    page = Page(browser, path)
    # All pairs are compared, since there are few.
    assert (
        not summary["bounds"]["estimated"]
        and "about" not in page.text("#bound")
        and "estimates" not in page.text("#bound")
    )
    numbers = set()
    for place, (bound, removed) in enumerate(bounds):
        page.page.locator("#bound-slider").fill(str(place))
        answer = page.text("#bound .answer")
        assert f"At {bound:.2f}:" in answer and f"{removed} of 4 documents" in answer
        above, below = (
            page.page.locator("#bound > div:last-child")
            .inner_text()
            .split("Not duplicates at this bound")
        )
        similarities = [
            [float(line.split(" ")[0]) for line in part.splitlines() if line[:2] in ("0.", "1.")]
            for part in (above, below)
        ]
        # Three decimals are shown.
        assert all(similarity >= bound - 0.0005 for similarity in similarities[0])
        assert all(similarity < bound + 0.0005 for similarity in similarities[1])
        numbers.add(removed)
    assert len(numbers) > 1
    assert "nearprint rethreshold" in page.text("#bound code")
    page.close()


def test_an_estimate_is_never_less_than_the_pairs_that_are_shown(
    browser: Any, tmp_path: Path
) -> None:
    # Pairs of long texts, half of them just below the bound: too many letters to compare all.
    path = report(tmp_path, edited(40, 6000, 600) + edited(40, 6000, 1560), "--max-distance", "90")
    summary = json.loads((path.parent / "summary.json").read_text(encoding="utf-8"))
    bounds, own = summary["bounds"]["removed"], summary["counts"]["removed"]
    with open(path.parent / "just_missed.jsonl", encoding="utf-8") as lines:
        missed = [json.loads(line)["similarity"] for line in lines]
    assert summary["bounds"]["estimated"] and missed
    ranges = {bound: (low, high) for bound, low, high in summary["bounds"]["intervals"]}
    page = Page(browser, path)
    for place, (bound, removed) in enumerate(bounds):
        page.page.locator("#bound-slider").fill(str(place))
        # The pairs share no document, so each is a removal.
        assert removed >= own + sum(similarity >= bound for similarity in missed) or bound >= 0.75
        about = "" if bound == 0.75 else "about "
        span = f" ({ranges[bound][0]} to {ranges[bound][1]})" if bound < 0.75 else ""
        assert f"At {bound:.2f}: {about}{removed}{span} of" in page.text("#bound .answer")
    assert "estimates" in page.text("#bound")
    page.close()


def test_an_estimate_has_its_range_where_that_is_known(browser: Any, tmp_path: Path) -> None:
    path = report(tmp_path, edited(3, 60, 5))
    file = path.parent / "summary.json"
    summary = json.loads(file.read_text(encoding="utf-8"))
    summary["bounds"] = {
        "estimated": True,
        "without_short": False,
        "removed": [[0.6, 5], [0.7, 4], [0.75, 3]],
        "intervals": [[0.6, 4, 6]],
    }
    file.write_text(json.dumps(summary), encoding="utf-8")
    command_line("report", path.parent, "--quiet")
    page = Page(browser, path)
    told = []
    for place in "012":
        page.page.locator("#bound-slider").fill(place)
        told.append(page.text("#bound .answer"))
    assert told == [
        "At 0.60: about 5 (4 to 6) of 6 documents removed, about 83.3 %.",
        "At 0.70: about 4 of 6 documents removed, about 66.7 %.",
        "At 0.75: 3 of 6 documents removed, 50.0 %.",
    ]
    page.page.click("#language")
    page.page.locator("#bound-slider").fill("0")
    assert page.text("#bound .answer") == "阈值 0.60：6 篇中约删除 5 篇（4 至 6 篇），约 83.3 %。"
    page.close()
