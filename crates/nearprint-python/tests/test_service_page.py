"""The page of a service in a real browser."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from conftest import OTHER, SCRIPT, needs_chromium

pytestmark = needs_chromium

FERRY = (
    "The night ferry to Cobble Island sails again from Friday. The crew has replaced both engines, "
    "painted the railings green and hired a cook who bakes cardamom buns before the first crossing "
    "at dawn. Tickets cost 14 crowns, and dogs travel free of charge on the upper deck."
)
TEA = (
    "清明前的第一锅新茶昨天出炉，芽头比往年早冒了六天。茶农老周说，今年雨水足，山上的雾也散得慢，所以叶子"
    "厚实。合作社打算把头茬茶分成三档卖，最好的一档每斤一千二百元。"
)
#: A document whose id is beyond the range of JavaScript, one that attacks the page, and others.
ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": FERRY, "title": "Night ferry returns", "date": "2026-11-20"},
    {"id": 9007199254740993, "text": TEA, "title": "今年的新茶早了六天", "source": "茶报"},
    {"id": "</script><b>", "text": SCRIPT + OTHER, "title": SCRIPT, "date": "\u202ereversed"},
]


class Service:
    """A running service with an empty index."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "nearprint", "serve", str(folder / "seen"), "--store-text"]
        fields = ["--store-field=title", "--store-field=date", "--store-field=source"]
        self.process = subprocess.Popen(
            [*command, *fields, "--listen", "127.0.0.1:0", *arguments],
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self.process.stderr
        told = self.process.stderr.readline()
        found = re.search(r"http://\S+", told)
        assert found, told
        self.address = found[0]

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """The answer of a call."""
        sent = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = Request(self.address + path, sent, headers, method=method)
        with urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def add(self, rows: list[dict[str, Any]], parameters: str = "") -> Any:
        return self.call("POST", f"/v1/documents{parameters}", {"documents": rows})["results"]

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=30)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path)
    service.add(ROWS)
    yield service
    service.stop()


class Page:
    """The page of a service in a browser, with its errors."""

    def __init__(self, browser: Any, service: Service, view: str = "", **options: Any) -> None:
        self.service = service
        self.context = browser.new_context(**{"locale": "en-US", **options})
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self.told)
        self.page.on("request", self.requested)
        self.open(view)

    def told(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def requested(self, request: Any) -> None:
        if not request.url.startswith((self.service.address, "data:,")):
            self.errors.append(f"asked {request.url}")

    def open(self, view: str) -> None:
        self.page.goto(f"{self.service.address}/#{view}")
        self.loaded()

    def loaded(self) -> None:
        self.page.wait_for_selector("main:not([aria-busy])")

    def ask(self, text: str) -> None:
        self.page.fill("#text", text)
        with self.page.expect_response("**/v1/check*"):
            self.page.keyboard.press("Control+Enter")

    def text(self, selector: str = "main") -> str:
        return str(self.page.locator(selector).first.inner_text())

    def close(self) -> None:
        assert self.errors == []
        self.context.close()


def test_a_pasted_text_is_shown_beside_its_duplicates(browser: Any, service: Service) -> None:
    page = Page(browser, service)
    page.ask(FERRY.replace("14", "15") + " Bring a coat.")
    found = page.page.locator("#answer details[open]")
    found.locator(".text").nth(1).wait_for()
    assert "Night ferry returns" in found.locator("summary").inner_text()
    assert found.locator("mark.figure").all_inner_texts() == ["15", "14"]
    assert "Bring a coat" in found.locator("mark.own").inner_text()
    # An integer beyond the range of JavaScript is shown and asked for exactly.
    page.ask(TEA)
    page.page.locator("#answer .text").nth(1).wait_for()
    link = page.page.locator("#answer .text a")
    assert link.inner_text() == "9007199254740993"
    page.ask("Nobody has written this before.")
    page.page.locator("#answer .none").wait_for()
    page.close()


def test_each_line_may_be_a_text(browser: Any, service: Service) -> None:
    page = Page(browser, service)
    page.page.check("[type=checkbox]")
    page.ask(f"{FERRY}\n\nNobody has written this before.\n{TEA}")
    page.page.locator("#answer section").nth(2).wait_for()
    sections = page.page.locator("#answer section").all_inner_texts()
    assert [section.split(":")[0] for section in sections] == ["Text 1", "Text 2", "Text 3"]
    assert ["No duplicate" in section for section in sections] == [False, True, False]
    page.close()


def test_the_language_and_the_theme_are_switched(browser: Any, service: Service) -> None:
    page = Page(browser, service, color_scheme="dark")
    assert page.page.locator("html").get_attribute("data-theme") == "dark"
    page.page.click("#theme")
    assert page.page.locator("html").get_attribute("data-theme") == "light"
    page.ask(FERRY)
    page.page.locator("#answer .text").first.wait_for()
    page.page.click("#language")
    page.loaded()
    assert page.page.locator("html").get_attribute("lang") == "zh-CN"
    # The question and its answer are still there.
    assert page.page.input_value("#text") == FERRY
    assert "近似重复" in page.text("#answer") or "文本相同" in page.text("#answer")
    page.close()
    page = Page(browser, service, locale="zh-CN")
    assert "查询" in page.text("nav")
    for view in ["review", "stories", "search/ferry", "overview"]:
        page.open(view)
        assert "{" not in page.text() and not re.search(r"\b[a-z]+\.[a-z]+\b", page.text("main h2"))
    page.close()


def test_another_language_stays_at_the_pair(browser: Any, service: Service) -> None:
    copies = [{"id": f"copy {number}", "text": f"{FERRY} Note {number}."} for number in range(2)]
    service.add(copies, "?if_new=true")
    page = Page(browser, service)
    page.open("review")
    first = page.page.get_attribute("article.pair", "data-pair")
    page.page.keyboard.press("j")
    page.page.locator(f"article.pair:not([data-pair='{first}'])").wait_for()
    second = page.page.get_attribute("article.pair", "data-pair")
    page.page.click("#language")
    page.loaded()
    assert page.page.get_attribute("article.pair", "data-pair") == second
    page.close()


def test_stored_scripts_are_text(browser: Any, service: Service) -> None:
    page = Page(browser, service)
    page.ask(SCRIPT + OTHER)
    page.page.locator("#answer .text").nth(1).wait_for()
    assert "<script>window.hit = 1</script>" in page.text("#answer .text:nth-child(2) > div")
    page.page.click("#answer .text a")
    page.page.locator("main dl").wait_for()
    assert page.text("main h2").startswith("<script>") and "U+202E" in page.text("main dl")
    assert page.page.evaluate("window.hit") is None
    assert page.page.locator("main img, main script, main b b").count() == 0
    assert page.errors == []
    # The content security policy blocks a script that got into the page.
    ran = page.page.evaluate(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; "
        "document.body.append(s); return window.ran })()"
    )
    assert ran is None
    page.errors.clear()
    page.close()


def test_a_problem_is_told_in_the_words_of_the_service(browser: Any, service: Service) -> None:
    page = Page(browser, service, "document/nobody")
    assert "no document has the id nobody" in page.text("[role=alert]")
    service.stop()
    page.errors.clear()
    page.page.click("nav a[data-view=overview]")
    page.page.locator("[role=alert]", has_text="cannot be reached").wait_for()
    page.errors.clear()
    page.close()


def test_the_address_keeps_the_view(browser: Any, service: Service) -> None:
    page = Page(browser, service)
    page.page.click("nav a[data-view=search]")
    page.page.fill("#search", "ferry")
    page.page.keyboard.press("Enter")
    page.page.locator("main h3 a", has_text="Night ferry returns").click()
    page.page.locator("main dl").wait_for()
    assert page.page.url.endswith("/#document/a") and "Night ferry" in page.page.title()
    page.page.go_back()
    page.page.locator("#search").wait_for()
    assert page.page.input_value("#search") == "ferry"
    page.page.go_back()
    page.page.go_back()
    page.page.locator("#text").wait_for()
    page.close()


def test_all_is_reached_by_keyboard(browser: Any, service: Service) -> None:
    page = Page(browser, service)
    at_hand = "document.activeElement.outerHTML.slice(0, 300)"
    seen = []
    for _ in range(12):
        page.page.keyboard.press("Tab")
        seen.append(page.page.evaluate(at_hand))
        outline = page.page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
        assert outline == "3px" or "skip" in seen[-1], seen[-1]
        if 'type="submit"' in seen[-1]:
            break
    wanted = ["skip", "language", "theme", "ask", "review", "stories", "search", "overview"]
    wanted += ["textarea", "submit"]
    assert len(seen) == len(wanted)
    assert all(want in one for want, one in zip(wanted, seen, strict=True)), seen
    page.page.keyboard.press("Shift+Tab")
    page.page.keyboard.insert_text(FERRY)
    page.page.keyboard.press("Control+Enter")
    page.page.locator("#answer .text").nth(1).wait_for()
    page.close()


def copies() -> list[dict[str, Any]]:
    """A copy of two documents each, and a second one of the first."""
    return [
        {"id": "b", "text": FERRY.replace("14", "15"), "title": "Ferry sails", "source": "isle"},
        {"id": "c", "text": TEA.replace("厚实", "肥厚"), "title": "新茶上市"},
        {"id": "d", "text": FERRY + " Bring a coat.", "title": "A coat for the ferry"},
    ]


def test_pairs_are_decided_by_keyboard(browser: Any, service: Service) -> None:
    service.add(copies(), "?if_new=true")
    page = Page(browser, service, "review/open/oldest")
    shown = page.page.locator("#review article")

    def press(key: str, copy: str) -> None:
        page.page.keyboard.press(key)
        page.page.locator("#review .text:first-child a", has_text=copy).wait_for()

    def statuses() -> list[str]:
        pairs = [service.call("GET", f"/v1/pairs/{pair}") for pair in (1, 2, 3)]
        return [pair["status"] for pair in pairs]

    shown.locator("mark.figure").first.wait_for()
    heads = shown.locator(".text header").all_inner_texts()
    assert [head.split() for head in heads] == [
        ["copy", "b", "title", "Ferry", "sails", "source", "isle"],
        ["keeper", "a", "title", "Night", "ferry", "returns", "date", "2026-11-20"],
    ]
    assert "3 open" in page.text("#review [role=status]")
    press("r", "c")
    press("j", "d")
    press("k", "c")
    press("w", "d")
    assert statuses() == ["right", "wrong", "open"]
    page.page.keyboard.press("l")
    page.page.locator("#review [role=status]", has_text="last pair").wait_for()
    assert statuses() == ["right", "wrong", "later"]
    # Each verdict is taken back, the last one first.
    press("u", "d")
    press("u", "c")
    assert statuses() == ["right", "open", "open"]
    assert service.call("GET", "/v1/documents/c")["hidden"] is True
    press("u", "b")
    assert statuses() == ["open"] * 3 and page.page.locator("[data-key=u]").is_disabled()
    # The copy becomes the keeper, and no longer is.
    press("o", "c")
    assert service.call("GET", "/v1/documents/a")["hidden"] is True
    press("u", "b")
    assert service.call("GET", "/v1/documents/a")["hidden"] is False
    assert statuses() == ["open"] * 3
    assert service.call("GET", "/v1/pairs?status=right")["pairs"] == []
    press("w", "c")
    assert service.call("GET", "/v1/documents/b")["hidden"] is False
    press("u", "b")
    assert service.call("GET", "/v1/documents/b")["hidden"] is True
    # Letters in a field or a list of choices decide nothing.
    page.page.focus("#order")
    page.page.keyboard.press("w")
    assert statuses() == ["open"] * 3 and page.page.input_value("#order") == "oldest"
    page.page.select_option("#status", "later")
    page.page.locator("#review [role=status]", has_text="last pair").wait_for()
    assert page.page.url.endswith("#review/later/oldest")
    page.close()


def test_a_story_is_a_time_line(browser: Any, service: Service) -> None:
    service.add(copies(), "?if_new=true")
    page = Page(browser, service, "stories")
    titles = page.page.locator("main h3 a")
    assert sorted(titles.all_inner_texts()) == ["Night ferry returns", "今年的新茶早了六天"]
    titles.filter(has_text="Night").click()
    entries = page.page.locator(".time-line li")
    entries.nth(1).wait_for()
    assert entries.count() == 2 and "Copies: 2" in page.text()
    entries.nth(0).locator("summary").click()
    assert entries.nth(0).locator("mark.figure").first.inner_text() == "15"
    entries.nth(0).locator("button", has_text="Make this the keeper").click()
    page.page.locator("h2", has_text="Ferry sails").wait_for()
    page.close()


def test_a_document_is_shown_beside_its_near_ones(browser: Any, service: Service) -> None:
    service.add(copies())
    page = Page(browser, service, "document/b")
    near = page.page.locator("main details.cluster")
    assert near.count() == 2
    near.first.locator("summary").click()
    near.first.locator("mark").first.wait_for()
    heads = near.first.locator(".text header b").all_inner_texts()
    assert heads == ["this document", "found"]
    page.close()


def test_a_token_is_asked_for_where_one_is_needed(browser: Any, service: Service) -> None:
    page = Page(browser, service)
    taken: list[str] = []

    def guard(route: Any) -> None:
        request = route.request
        if request.method == "POST" and request.url.endswith("/v1/session"):
            taken.append(request.post_data_json["token"])
        if taken[-1:] == ["sesame"]:
            route.fallback() if request.method == "GET" else route.fulfill(json={})
        else:
            problem = {"status": 401, "detail": "the token is unknown"}
            route.fulfill(status=401, content_type="application/problem+json", json=problem)

    page.page.route("**/v1/**", guard)
    page.page.click("nav a[data-view=search]")
    page.page.fill("#search", "ferry")
    page.page.keyboard.press("Enter")
    page.page.locator("#token").wait_for()
    for token in ("guess", "sesame"):
        page.page.fill("#token", token)
        page.page.keyboard.press("Enter")
        if token == "guess":
            page.page.locator("[role=alert]", has_text="the token is unknown").wait_for()
    # The view that was asked for is there.
    page.page.locator("main h3 a", has_text="Night ferry returns").wait_for()
    assert taken == ["guess", "sesame"] and all("401" in error for error in page.errors)
    page.errors.clear()
    page.close()


@pytest.mark.parametrize(
    "view", ["ask", "review", "stories", "story/0", "search/ferry", "document/a", "overview"]
)
def test_a_phone_shows_all_of_it(browser: Any, service: Service, view: str) -> None:
    long = {"id": "x" * 300, "text": FERRY + " " + "x" * 4000, "title": "ferry" + "y" * 400}
    service.add([long])
    service.add([{**long, "id": "y" * 300, "text": long["text"] + "."}], "?if_new=true")
    page = Page(browser, service, view, viewport={"width": 360, "height": 700})
    if view == "ask":
        page.ask(FERRY + " " + "x" * 4000)
        page.page.locator("#answer .text").nth(1).wait_for()
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
    page.close()
