"""The page of a report in a real browser."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import NEWS, OTHER, command_line

CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium; install the package chromium")

#: So that the browser asks nobody for anything by itself.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

SCRIPT = "<script>window.hit = 1</script><img src=x onerror='window.hit = 2'></script><!-- {data} --> "


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Page:
    """A report that was opened, with what went wrong in it."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**{"locale": "en-US", "accept_downloads": True, **options})
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).first.inner_text())

    def close(self) -> None:
        assert self.errors == []
        assert len(self.requests) == 1, self.requests
        self.context.close()


def report(folder: Path, rows: list[dict[str, Any]], *arguments: str) -> Path:
    """Runs dedup over rows and gives its report."""
    with open(folder / "rows.jsonl", "w", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    output = folder / "clean"
    command_line("dedup", folder / "rows.jsonl", "--output", output, "--report", "--quiet", *arguments)
    return output / "report.html"


def news() -> list[dict[str, Any]]:
    """A story that was sent again with another figure, one in another order, a notice with another day, and others."""
    rest = "Guests may bring their dogs, their bicycles and whatever else they can carry, but no stoves and no open fire. " * 2
    more = "The captain, who has sailed the route for most of her life, calls the new engine the quietest she ever heard. "
    story = f"{NEWS}. {OTHER}. {rest}{more}The harbor has hired 12 guards"
    paragraphs = [f"Paragraph {word} tells of {word}s, and of nothing else but {word}s." for word in ("boat", "tree", "moon", "door", "fish")]
    other = "In the hills above the town a shepherd has counted his sheep again and found one more than there should be"
    return [
        {"id": "a/1", "text": story, "host": "one.example"},
        {"id": 9007199254740993, "text": story.replace("12 guards", "13 guards").replace("cracked", "broken"), "host": "two.example"},
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
    page.page.select_option("#pick", "pickLeast")
    pairs = page.page.locator("#browse .pair")
    assert pairs.count() == 2
    # An integer beyond those of JavaScript is shown as it is.
    assert "9007199254740993" in page.text("#browse")
    assert page.page.locator("#browse mark.own", has_text="broken").count() == 1
    assert page.page.locator("#browse mark.figure", has_text="13").count() == 1
    assert page.page.locator("mark.moved").count() >= 2
    page.close()


def test_moved_passages_lead_to_each_other(browser: Any, tmp_path: Path) -> None:
    page = Page(browser, report(tmp_path, news()))
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
    page.page.select_option("#pick", "pickLeast")
    page.page.locator("#browse h2").click()
    for key in ("j", "r", "j", "w"):
        page.page.keyboard.press(key)
    assert "1 marked right, 1 wrong" in page.text("#marks")
    pressed = page.page.locator("#browse article.pair [aria-pressed=true]")
    assert pressed.all_inner_texts() == ["Right", "Wrong"]
    # A language that is switched forgets no mark.
    page.page.click("#language")
    assert "标记正确 1 对" in page.text("#marks")
    page.page.click("#language")
    with page.page.expect_download() as download:
        page.page.click("#marks button")
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in saved.splitlines()]
    assert sorted(row["verdict"] for row in rows) == ["right", "wrong"]
    assert {row["left"] for row in rows} == {9007199254740993, "p2"}
    # The same mark again takes it back.
    page.page.locator("article.pair [aria-pressed=true]").first.click()
    assert "0 marked right, 1 wrong" in page.text("#marks")
    page.close()


def test_ids_and_texts_are_searched(browser: Any, tmp_path: Path) -> None:
    page = Page(browser, report(tmp_path, news()))
    for wanted, ids in [("broken", ["9007199254740993"]), ("P2", ["p2"]), ("no such words", [])]:
        page.page.fill("#search", wanted)
        assert page.page.locator("#browse .pair").count() == len(ids)
        assert all(id in page.text("#browse") for id in ids)
    assert "Nothing in the report matches" in page.text("#browse")
    page.close()


def test_a_phone_shows_all_of_it(browser: Any, tmp_path: Path) -> None:
    rows = news()
    rows[0]["text"] += " " + "x" * 4000
    rows[1]["text"] += " " + "x" * 4000
    page = Page(browser, report(tmp_path, rows), viewport={"width": 360, "height": 700})
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
    page.close()


def hostile() -> list[dict[str, Any]]:
    """Scripts, huge lines, a large family, scripts from right to left, and signs that show nothing."""
    unseen = "\u202e\u200b\u2066\ufeff\u0000\u001b[2J"
    texts = [
        SCRIPT + NEWS,
        SCRIPT + NEWS + " today",
        f"{unseen}{OTHER}",
        f"{OTHER} {unseen}anew",
        "شركة النقل البحري تعيد تشغيل العبارة يوم الاثنين بعد أحد عشر أسبوعا من إصلاح عمود المروحة المتصدع في الميناء القديم",
        "شركة النقل البحري تعيد تشغيل العبارة يوم الثلاثاء بعد أحد عشر أسبوعا من إصلاح عمود المروحة المتصدع في الميناء القديم",
        "long " + "abcdefghij" * 100_000,
        "long " + "abcdefghij" * 100_000 + " end",
        "z" + "\u0301" * 3000 + " " + NEWS[::-1],
        "z" + "\u0301" * 3000 + " " + NEWS[::-1] + " again",
    ]
    family = [f"{OTHER}. The guild meets in hall number one, and whoever comes late stands. {'.' * (n % 7)}" for n in range(10_000)]
    rows = [{"id": f"</script><b>{n}", "text": text, "host": "<i>"} for n, text in enumerate(texts)]
    return rows + [{"id": f"f{n}", "text": text, "host": "\u202efamily"} for n, text in enumerate(family)]


def test_a_hostile_corpus_is_text(browser: Any, tmp_path: Path) -> None:
    path = report(tmp_path, hostile(), "--source-field", "host")
    assert path.stat().st_size < 20_000_000
    page = Page(browser, path)
    page.page.select_option("#pick", "pickLeast")
    while page.page.locator("#browse > div button", has_text="Show more").count():
        page.page.locator("#browse > div > button", has_text="Show more").last.click()
        if page.page.locator("#browse .pair").count() > 60:
            break
    page.page.fill("#search", "window.hit")
    assert "<script>window.hit = 1</script>" in page.text("#browse .pair .text > div")
    page.page.fill("#search", "anew")
    assert "U+202E" in page.text("#browse .pair .text > div")
    assert page.page.evaluate("window.hit") is None
    assert page.page.locator("img").count() == 0
    assert "10,001" in page.text(".alarm") or "10,000" in page.text(".alarm")
    # Whoever got a script into the page all the same would not get far.
    ran = page.page.evaluate(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s); return window.ran })()"
    )
    assert ran is None
    page.errors.clear()
    page.close()


@pytest.mark.parametrize("just_missed", ["0.5", None])
def test_the_slider_says_how_many_another_bound_would_remove(browser: Any, tmp_path: Path, just_missed: str | None) -> None:
    base = f"{NEWS}. {OTHER}. Guests may bring their dogs, their bicycles and whatever else they can carry."
    texts = [base, base + " " + "The captain calls the new engine the quietest ever. ", base + " " + "A shepherd counted his sheep again and found one more than there should be. " * 2]
    texts.append(base + " In the hills above the town stands a chapel which nobody has entered since the great storm took its roof and bells." * 2)
    rows = [{"id": number, "text": text} for number, text in enumerate(texts)]
    path = report(tmp_path, rows, *(["--just-missed", just_missed] if just_missed else []))
    summary = json.loads((path.parent / "summary.json").read_text(encoding="utf-8"))
    bounds = summary["bounds"]["removed"]
    page = Page(browser, path)
    # So few pairs are all compared.
    assert not summary["bounds"]["estimated"] and "about" not in page.text("#bound") and "estimates" not in page.text("#bound")
    numbers = set()
    for place, (bound, removed) in enumerate(bounds):
        page.page.locator("#bound-slider").fill(str(place))
        answer = page.text("#bound .answer")
        assert f"At {bound:.2f}:" in answer and f"{removed} of 4 documents" in answer
        above, below = page.page.locator("#bound > div:last-child").inner_text().split("No duplicates at this bound")
        similarities = [
            [float(line.split(" ")[0]) for line in part.splitlines() if line[:2] in ("0.", "1.")] for part in (above, below)
        ]
        # Three decimals are shown.
        assert all(similarity >= bound - 0.0005 for similarity in similarities[0])
        assert all(similarity < bound + 0.0005 for similarity in similarities[1])
        numbers.add(removed)
    assert len(numbers) > 1
    assert "nearprint rethreshold" in page.text("#bound code")
    page.close()


def test_an_estimate_is_never_less_than_the_pairs_that_are_shown(browser: Any, tmp_path: Path) -> None:
    # Long texts two by two, half of them a little under the bound: too many letters to compare all.
    texts = []
    for n in range(80):
        words = [f"w{n}x{place * place % 6151}" for place in range(1500)]
        other = [f"v{n}x{place * place % 6151}" for place in range(450 if n % 2 else 150)]
        texts += [" ".join(words), " ".join(words[len(other) :] + other)]
    path = report(tmp_path, [{"id": n, "text": text} for n, text in enumerate(texts)])
    summary = json.loads((path.parent / "summary.json").read_text(encoding="utf-8"))
    bounds, own = summary["bounds"]["removed"], summary["counts"]["removed"]
    with open(path.parent / "just_missed.jsonl", encoding="utf-8") as lines:
        missed = [json.loads(line)["similarity"] for line in lines]
    assert summary["bounds"]["estimated"] and missed
    page = Page(browser, path)
    for place, (bound, removed) in enumerate(bounds):
        page.page.locator("#bound-slider").fill(str(place))
        # The pairs have no document in common, so each is a removal.
        assert removed >= own + sum(similarity >= bound for similarity in missed) or bound >= 0.75
        said = f"At {bound:.2f}: {removed} of" if bound == 0.75 else f"At {bound:.2f}: about {removed} of"
        assert said in page.text("#bound .answer")
    assert "estimates" in page.text("#bound")
    page.close()
