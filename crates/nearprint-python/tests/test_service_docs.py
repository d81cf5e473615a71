"""The clients of the page about the service run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "service.md").read_text(encoding="utf-8")
BLOCKS = [block.split("\n", 1) for block in PAGE.split("```")[1::2]]
#: The clients in their order: with requests, with httpx, a feed reader, a webhook.
CLIENTS = [lines for language, lines in BLOCKS if language == "python"]

FEED = """<rss version="2.0"><channel><title>News</title>
<item><title>Heron</title><link>https://news.example/1</link><description>A heron has moved into the fountain on the
market square and eats the goldfish that children win at the fair.</description></item>
<item><title>Heron again</title><link>https://news.example/2</link><description>A heron has moved into the fountain on the
market square and eats the goldfish that children win at the fair. Herons do.</description></item>
<item><title>Tools</title><link>https://news.example/3</link><description>Our village library lends garden tools now: spades,
shears and a cider press can be borrowed for two weeks with any reader's card.</description></item>
</channel></rss>"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The host and port of a server, started as the page says."""
    serve = next(lines for language, lines in BLOCKS if language == "sh")
    command = [sys.executable, "-m", *serve.split(), "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, encoding="utf-8")
    assert process.stderr
    told = ""
    while not (found := re.search(r"http://(\S+)", told)):
        line = process.stderr.readline()
        assert line, told
        told += line
    yield found[1]
    process.terminate()
    process.communicate(timeout=30)


def output_of(client: str, address: str, folder: Path) -> list[str]:
    """The lines that a client prints."""
    program = [sys.executable, "-c", client.replace("127.0.0.1:8080", address)]
    return subprocess.check_output(program, cwd=folder, text=True, timeout=60).splitlines()


def test_clients_are_short() -> None:
    assert len(CLIENTS) == 4
    for client in CLIENTS:
        assert len(client.splitlines()) <= 25


def test_the_client_with_requests(address: str, tmp_path: Path) -> None:
    place = next(number for number, (language, _) in enumerate(BLOCKS) if language == "python")
    assert output_of(CLIENTS[0], address, tmp_path) == BLOCKS[place + 1][1].splitlines()


def test_the_client_with_httpx(address: str, tmp_path: Path) -> None:
    text = "A heron has moved into the fountain on the market square. "
    rows = [{"id": number, "text": f"{text} {number}"} for number in range(3000)]
    news = tmp_path / "news.jsonl"
    news.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    expected = [f"{number} 0" for number in range(3000)]
    assert output_of(CLIENTS[1], address, tmp_path) == expected


def test_the_feed_reader_publishes_each_story_once(address: str, tmp_path: Path) -> None:
    feed = tmp_path / "feed.xml"
    feed.write_text(FEED, encoding="utf-8")
    client = CLIENTS[2].replace("https://news.example/feed.xml", str(feed))
    assert output_of(client, address, tmp_path) == ["publish: Heron", "publish: Tools"]
    assert output_of(client, address, tmp_path) == []
    # An answer that was lost before its items were published.
    (tmp_path / "published.txt").unlink()
    assert output_of(client, address, tmp_path) == ["publish: Heron", "publish: Tools"]


def test_the_webhook_hears_of_each_story(address: str, tmp_path: Path) -> None:
    heard: list[int] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            story = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            heard.append(story["story"])
            # The first story comes again after a fault.
            self.send_response(500 if len(heard) == 1 else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    hook = HTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=hook.serve_forever, daemon=True).start()
    client = CLIENTS[3].replace("https://hooks.example", f"http://127.0.0.1:{hook.server_port}")
    # From the beginning, so that no story comes before the client listens.
    client = client.replace("last = None", 'last = "0-0"').replace("127.0.0.1:8080", address)
    output_of(CLIENTS[0], address, tmp_path)
    process = subprocess.Popen([sys.executable, "-c", client])
    try:
        for _ in range(300):
            if len(heard) >= 2:
                break
            threading.Event().wait(0.1)
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
        hook.shutdown()
        hook.server_close()
    assert heard == [0, 0]
