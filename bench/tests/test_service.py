"""Tests of the load on a service, with a server of a few lines in place of nearprint."""

import json
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random

from nearprint_bench.service_corpus import batches, documents, questions, rows
from nearprint_bench.service_crowd import crowd
from nearprint_bench.service_kills import text
from nearprint_bench.service_load import add, in_background
from nearprint_bench.service_server import Server


class Simple(BaseHTTPRequestHandler):
    """Keeps documents by their texts. Forgets those that are named so."""

    protocol_version = "HTTP/1.1"
    kept: dict[str, str] = {}

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = []
        for row in asked.get("documents", []):
            told.append(
                {"id": row["id"], "status": "duplicate" if row["text"] in self.kept else "new"}
            )
            if row["text"] != "forgotten":
                self.kept[row["text"]] = row["id"]
        for one in asked.get("texts", []):
            told.append({"duplicates": [{"id": self.kept[one]}] if one in self.kept else []})
        body = json.dumps({"results": told}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Loads(unittest.TestCase):
    def setUp(self):
        Simple.kept = {}
        http = ThreadingHTTPServer(("127.0.0.1", 0), Simple)
        http.handle_error = lambda *_: None  # the crowd sends no JSON
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(http.server_close)
        self.addCleanup(http.shutdown)
        self.server = Server.__new__(Server)
        self.server.address = http.server_address
        self.server.cpu = lambda: 0.0

    def add(self, texts, **options):
        lines = (json.dumps({"id": n, "text": text}).encode() for n, text in enumerate(texts))
        return add(self.server, lines, 10, **options)

    def test_what_was_added_is_counted_and_looked_for(self):
        added = self.add([f"text {n % 80}" for n in range(100)], connections=1, look=2)
        self.assertEqual((added.documents, added.new), (100, 80))
        self.assertEqual((added.asked, added.visible), (4, 4))

    def test_a_document_that_is_not_visible_is_noticed(self):
        added = self.add(["forgotten"], connections=1)
        self.assertEqual((added.asked, added.visible), (1, 0))

    def test_an_error_of_a_thread_is_raised(self):
        self.server.address = ("127.0.0.1", 1)
        with self.assertRaises(OSError):
            self.add(["a"])
        with self.assertRaises(ValueError), in_background(lambda stopped: int("x")):
            pass

    def test_a_crowd_is_there_before_the_measurement_begins(self):
        with crowd(self.server.address, 5, 3) as counts:
            self.assertEqual(counts, {"opened": 8, "closed": 0})


class Bodies(unittest.TestCase):
    def test_batches_hold_all_documents_once_and_in_order(self):
        lines = [b'{"id":%d}' % number for number in range(7)]
        made = list(batches(lines, 3))
        self.assertEqual([line for _, batch in made for line in batch], lines)
        told = [row["id"] for body, _ in made for row in json.loads(body)["documents"]]
        self.assertEqual(told, list(range(7)))

    def test_questions_are_on_one_line_each(self):
        made = questions(["a\nb", "c", "d", "e", "f"], 2)
        self.assertEqual([json.loads(body)["texts"] for body in made], [["a\nb", "c"], ["d", "e"]])
        self.assertFalse(any("\n" in body for body in made))

    def test_parts_take_turns(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("documents", "new"):
                for part in range(2):
                    lines = "".join(f'{{"id":"{part}-{n}"}}\n' for n in range(2))
                    (Path(folder) / f"{name}-{part}.jsonl").write_text(lines)
            read = [json.loads(line)["id"] for line in documents(Path(folder))]
            self.assertEqual(read, ["0-0", "1-0", "0-1", "1-1"])
            self.assertEqual([row["id"] for row in rows(Path(folder), "new")], read)


class Kills(unittest.TestCase):
    def test_texts_of_other_seeds_differ(self):
        self.assertEqual(text(Random(1)), text(Random(1)))
        self.assertFalse(set(text(Random(1)).split()) & set(text(Random(2)).split()))


if __name__ == "__main__":
    unittest.main()
