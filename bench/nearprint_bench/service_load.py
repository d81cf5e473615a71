"""Load on a server: questions by the program wrk, additions by connections that take turns."""

import json
import queue
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .service_corpus import batches
from .service_server import Server, ask, results

SCRIPT = Path(__file__).with_name("service_load.lua")


@dataclass
class Load:
    """What wrk measured: requests, and their latencies in milliseconds."""

    requests: int
    seconds: float
    found: int
    failed: int
    p50: float
    p99: float
    p999: float
    max: float
    cpu: float = 0.0

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    @property
    def cpu_ms(self) -> float:
        """The CPU time of the server for a request in milliseconds."""
        return 1000 * self.cpu / self.requests


def load(server: Server, bodies: list[str], seconds: float, connections: int, core: int) -> Load:
    """Sends these bodies to `/v1/check`, each connection the next one after each answer."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
        file.writelines(body + "\n" for body in bodies)
        file.flush()
        command = ["taskset", "-c", str(core), "wrk", "--threads", "1", "--timeout", "30s"]
        command += ["--connections", str(connections), "--duration", f"{round(seconds)}s"]
        before = server.cpu()
        ended = subprocess.run(
            [*command, "--script", SCRIPT, f"{server.url}/v1/check", "--", file.name],
            check=True,
            capture_output=True,
            text=True,
        )
        cpu = server.cpu() - before
    return Load(**json.loads(ended.stderr.splitlines()[-1]), cpu=cpu)


@dataclass
class Added:
    """Additions: documents, seconds by the clock, CPU seconds of the server; how many were `new`,
    and how many documents the next question found."""

    documents: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    new: int = 0
    asked: int = 0
    visible: int = 0


def add(
    server: Server,
    lines,
    each: int,
    connections: int = 2,
    look: int = 20,
    if_new: bool = True,
) -> Added:
    """Adds documents in batches. After every `look`-th batch its last new document is
    asked for at once."""
    added, lock, faults = Added(), threading.Lock(), []
    waiting: queue.Queue = queue.Queue(4)
    path = "/v1/documents" + ("?if_new=true" if if_new else "")
    before, begun = server.cpu(), time.monotonic()

    def work():
        connection = server.connection()
        while (item := waiting.get()) is not None:
            try:
                number, body, batch = item
                told = results(*ask(connection, "POST", path, body))
                new = [row for row, result in zip(batch, told) if result["status"] == "new"]
                seen = None
                if number % look == 0 and new:
                    row = json.loads(new[-1])
                    question = json.dumps({"texts": [row["text"]]})
                    found = results(*ask(connection, "POST", "/v1/check", question))
                    seen = any(one["id"] == row["id"] for one in found[0]["duplicates"])
                with lock:
                    added.documents += len(batch)
                    added.new += len(new)
                    added.asked += seen is not None
                    added.visible += seen is True
            except Exception as fault:
                faults.append(fault)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for number, (body, batch) in enumerate(batches(lines, each)):
        waiting.put((number, body, batch))
        if faults:
            break
    for _ in threads:
        waiting.put(None)
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    added.seconds, added.cpu = time.monotonic() - begun, server.cpu() - before
    return added


@contextmanager
def in_background(work):
    """Runs `work(stopped)` in a thread; its error is raised at the end."""
    stopped, faults = threading.Event(), []

    def run():
        try:
            work(stopped)
        except Exception as fault:
            faults.append(fault)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()
    if faults:
        raise faults[0]
