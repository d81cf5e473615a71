"""The service (`nearprint serve`) over loopback, the server on one core and its clients on another.

    bench/run.sh service --data FOLDER [--documents N] [--only adds,checks,load,crowd,kills,described,start]
    [--seconds N] [--rounds N] [--minutes N] [--kills N] [--large N]

`adds` fills an index; the other parts ask it. `checks` asks with new texts and with copies, one a
request and a hundred. `load` asks and adds for some minutes and watches the memory. `crowd` asks
beside idle and slow clients. `kills` kills the server under load. `described` sends random requests.
`start` opens the index, and one of `--large` short documents, which is made the first time. Needs
the programs wrk and, for `described`, schemathesis.
"""

import argparse
import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

from .data import add_data_argument
from .folders import WORK
from .pages import markdown
from .service_corpus import corpus, documents, questions, rows
from .service_crowd import crowd
from .service_kills import kills
from .service_load import Load, add, in_background, load
from .service_server import Server, drop_from_memory, results, size

PARTS = ("adds", "checks", "load", "crowd", "kills", "described", "start")
DESCRIBED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
BATCH = 1000
IDLE, SLOW = 1000, 200
LETTERS = str.maketrans("0123456789", "ghijklmnop")


class Service:
    """The parts of the measurement, with what they share."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.corpus = corpus(options.data, options.work, options.documents + options.more)
        self.index = options.work / f"index-{options.documents}"
        self.figures: dict[str, dict] = {}

    def server(self, folder: Path | None = None) -> Server:
        return Server(folder or self.index, self.options.server_core)

    def tell(self, part: str, figures: dict) -> None:
        shown = {name: round(value, 4) for name, value in figures.items()}
        self.figures[part] = shown
        print(f"{part}: {json.dumps(shown)}", file=sys.stderr, flush=True)

    def load(self, server: Server, bodies: list[str], connections: int, seconds=None) -> Load:
        told = load(
            server, bodies, seconds or self.options.seconds, connections, self.options.client_core
        )
        assert told.failed == 0, told
        return told

    def texts(self, name: str) -> list[str]:
        return [row["text"] for row in rows(self.corpus, name)]

    def adds(self) -> None:
        """A new index of all documents, in batches of a thousand."""
        shutil.rmtree(self.index, ignore_errors=True)
        with self.server() as server:
            lines = islice(documents(self.corpus), self.options.documents)
            steps, whole = [], []
            # The speed at the end counts as well, so the documents go in tenths.
            tenth = self.options.documents // 10
            while part := list(islice(lines, tenth)):
                added = add(server, iter(part), BATCH)
                assert added.visible == added.asked > 0, added
                steps.append(added)
                whole.append(added.documents / added.seconds)
        added = sum(step.documents for step in steps)
        self.tell(
            "adds",
            {
                "documents": added,
                "new": sum(step.new for step in steps),
                "rate": added / sum(step.seconds for step in steps),
                "rate_of_last_tenth": whole[-1],
                "per_cpu_second": added / sum(step.cpu for step in steps),
                "asked_at_once": sum(step.asked for step in steps),
                "visible": sum(step.visible for step in steps),
                "bytes": size(self.index),
            },
        )

    def checks(self) -> None:
        """Questions of each kind; the kinds take turns, and medians count."""
        new, copies = self.texts("new"), self.texts("copies")
        kinds = {
            "new, one by one": (questions(new), 1, 4),
            "copies, one by one": (questions(copies), 1, 4),
            "new, in batches of 100": (questions(new, 100), 100, 4),
        }
        told: dict[str, list[Load]] = {kind: [] for kind in kinds}
        with self.server() as server:
            self.check_answers(server)
            self.load(server, kinds["new, one by one"][0], 4, 5)
            for _ in range(self.options.rounds):
                for kind, (bodies, _, connections) in kinds.items():
                    told[kind].append(self.load(server, bodies, connections))
        for kind, (_, each, _) in kinds.items():
            middle = lambda value: statistics.median(map(value, told[kind]))
            self.tell(
                kind,
                {
                    "rate": each * middle(lambda one: one.rate),
                    "cpu_ms": middle(lambda one: one.cpu_ms) / each,
                    **{
                        name: middle(lambda one: getattr(one, name))
                        for name in ("p50", "p99", "p999")
                    },
                    "requests_with_a_match": sum(one.found for one in told[kind])
                    / sum(one.requests for one in told[kind]),
                },
            )

    def check_answers(self, server: Server, count: int = 1000) -> None:
        """A copy must be found, a new text must not, but for a few of both."""
        copies = rows(self.corpus, "copies")[:count]
        body = json.dumps({"texts": [row["text"] for row in copies]})
        found = results(*server.ask("POST", "/v1/check", body))
        right = sum(
            any(match["id"] == row["of"] for match in result["duplicates"])
            for row, result in zip(copies, found)
        )
        body = json.dumps({"texts": self.texts("new")[:count]})
        others = sum(
            bool(result["duplicates"]) for result in results(*server.ask("POST", "/v1/check", body))
        )
        self.tell("answers", {"of": count, "copies_found": right, "new_with_a_match": others})

    def full_load(self) -> None:
        """Questions as fast as they are answered, and some additions, while memory is watched. It
        works on a copy of the index."""
        folder = self.options.work / "index-load"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.index, folder)
        bodies = questions(self.texts("new")) + questions(self.texts("copies"))
        random.Random(1).shuffle(bodies)
        seconds = 60 * self.options.minutes
        lines = islice(documents(self.corpus), self.options.documents, None)
        lines = islice(lines, self.options.more)
        samples, added = [], [0]
        with self.server(folder) as server:

            def adding(stopped):
                pause = seconds * 100 / self.options.more
                while not stopped.is_set() and (batch := list(islice(lines, 100))):
                    begun = time.monotonic()
                    added[0] += add(server, iter(batch), 100, 1, 10**9).documents
                    stopped.wait(max(0.0, pause - (time.monotonic() - begun)))

            def watching(stopped):
                begun = time.monotonic()
                while not stopped.wait(5):
                    samples.append((time.monotonic() - begun, server.memory()["of_no_file"]))

            with in_background(adding), in_background(watching):
                told = self.load(server, bodies, 8, seconds)
        third = len(samples) // 3
        early, late = (
            statistics.median(memory for _, memory in part)
            for part in (samples[third : 2 * third], samples[-third:])
        )
        self.tell(
            "load",
            {
                "seconds": told.seconds,
                "rate": told.rate,
                "p50": told.p50,
                "p99": told.p99,
                "added": added[0],
                "mb_at_start": samples[0][1] / 1e6,
                "mb_middle_third": early / 1e6,
                "mb_last_third": late / 1e6,
                "mb_largest": max(memory for _, memory in samples) / 1e6,
                "bytes_a_document_of_index": late / (self.options.documents + added[0]),
            },
        )
        shutil.rmtree(folder)

    def crowded(self) -> None:
        """Questions alone, and beside idle and slow clients, in turns."""
        bodies, told = questions(self.texts("new")), {"alone": [], "beside": []}
        closed = 0
        with self.server() as server:
            self.load(server, bodies, 4, 5)
            for _ in range(self.options.rounds):
                told["alone"].append(self.load(server, bodies, 4))
                with crowd(server.address, IDLE, SLOW) as counts:
                    told["beside"].append(self.load(server, bodies, 4))
                    closed += counts["closed"]
        figures = {
            f"{name}_{value}": statistics.median(getattr(one, value) for one in loads)
            for name, loads in told.items()
            for value in ("rate", "p50", "p99")
        }
        self.tell("crowd", {**figures, "closed_by_server": closed / self.options.rounds})

    def killed(self) -> None:
        folder = self.options.work / "index-kills"
        self.tell("kills", kills(folder, self.options.kills, self.options.server_core))
        shutil.rmtree(folder)

    def described(self) -> None:
        """Random requests to each call of the OpenAPI document. No answer may be a 5xx or differ from
        the document. `GET /v1/stories` is left out: its events do not end."""
        folder = self.options.work / "index-described"
        shutil.rmtree(folder, ignore_errors=True)
        with self.server(folder) as server:
            command = ["schemathesis", "run", f"{server.url}/openapi.json", "--seed", "1"]
            command += ["--checks", ",".join(DESCRIBED), "--exclude-path", "/v1/stories"]
            ended = subprocess.run(
                [*command, "--no-color"], capture_output=True, text=True, cwd=self.options.work
            )
        assert ended.returncode == 0, ended.stdout
        requests = re.search(r"(\d+) generated", ended.stdout)
        self.tell("described", {"requests": int(requests[1])})
        shutil.rmtree(folder)

    def started(self) -> None:
        """Seconds from the start of the program to the first answer of /readyz."""
        folders = {self.options.documents: self.index}
        if self.options.large:
            folders[self.options.large] = self.large()
        for count, folder in folders.items():
            warm, cold = [], []
            for _ in range(5):
                with self.server(folder) as server:
                    warm.append(server.seconds_to_ready)
            for _ in range(5):
                drop_from_memory(folder)
                with self.server(folder) as server:
                    cold.append(server.seconds_to_ready)
                    memory = server.memory()["of_no_file"]
            self.tell(
                f"start with {count}",
                {
                    "files_in_memory": statistics.median(warm),
                    "files_on_disk": statistics.median(cold),
                    "mb_of_no_file": memory / 1e6,
                    "bytes": size(folder),
                },
            )

    def large(self) -> Path:
        """An index of many short documents."""
        folder = self.options.work / f"index-{self.options.large}"
        if not (folder / "documents.sqlite").exists():
            numbers = random.Random(1)

            def lines():
                for number in range(self.options.large):
                    words = "%0200x" % numbers.getrandbits(800)
                    words = words.translate(LETTERS)
                    words = " ".join(words[at : at + 5] for at in range(0, 200, 5))
                    yield b'{"id":%d,"text":"%s"}' % (number, words.encode())

            with self.server(folder) as server:
                add(server, lines(), 10_000, if_new=False)
        return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_data_argument(parser)

    def number(name, default, help):
        parser.add_argument(
            name, metavar="N", type=int, default=default, help=f"{help} [default: {default}]"
        )

    number("--documents", 1_000_000, "documents of the index")
    number("--more", 100_000, "documents that are added under load")
    number("--seconds", 20, "seconds of a measurement")
    number("--rounds", 3, "rounds, of which the medians count")
    number("--minutes", 10, "minutes of full load")
    number("--kills", 50, "kills")
    number("--large", 0, "short documents of a second index for `start`")
    number("--server-core", 0, "the core of the server")
    number("--client-core", 1, "the core of its clients")
    parser.add_argument(
        "--only", metavar="PART,...", default=",".join(PARTS), help="parts [default: all]"
    )
    parser.add_argument(
        "--work",
        metavar="FOLDER",
        type=Path,
        default=WORK / "service",
        help="where corpora and indexes lie [default: bench/work/service]",
    )
    options = parser.parse_args()
    chosen = options.only.split(",")
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"--only: no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    service = Service(options)
    if not service.index.exists() and "adds" not in chosen:
        chosen.insert(0, "adds")
    runs = {
        "adds": service.adds,
        "checks": service.checks,
        "load": service.full_load,
        "crowd": service.crowded,
        "kills": service.killed,
        "described": service.described,
        "start": service.started,
    }
    for part in PARTS:
        if part in chosen:
            runs[part]()
    shown = [
        [part, "; ".join(f"{name} {value:,}" for name, value in figures.items())]
        for part, figures in service.figures.items()
    ]
    print(markdown(["part", "figures"], shown))


if __name__ == "__main__":
    main()
