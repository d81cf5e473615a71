"""A server on a core of its own, and what it costs, from /proc."""

import http.client
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from .nearprint import binary

TICK = os.sysconf("SC_CLK_TCK")


class Server:
    """`nearprint serve` on one core, from its start to its end."""

    def __init__(self, folder: Path, core: int, flags=()):
        command = ["taskset", "-c", str(core), binary(), "serve", folder, "--listen", "127.0.0.1:0"]
        begun = time.monotonic()
        self.process = subprocess.Popen(
            [*map(str, command), *flags], stderr=subprocess.PIPE, text=True
        )
        self.address = None
        for line in self.process.stderr:
            if found := re.search(r"127\.0\.0\.1:(\d+)", line):
                self.address = ("127.0.0.1", int(found[1]))
                break
        assert self.address, "the server has not started"
        # It answers 503 while it opens the files of an index.
        while (status := self.ask("GET", "/readyz")[0]) != 200:
            assert status == 503 and time.monotonic() < begun + 60, status
        self.seconds_to_ready = time.monotonic() - begun

    @property
    def url(self) -> str:
        return f"http://{self.address[0]}:{self.address[1]}"

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(*self.address, timeout=60)

    def ask(self, method: str, path: str, body=None) -> tuple[int, bytes]:
        connection = self.connection()
        answer = ask(connection, method, path, body)
        connection.close()
        return answer

    def cpu(self) -> float:
        """The seconds of user and system time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self) -> dict[str, int]:
        """Bytes in memory: `all` of them, and those `of_no_file`."""
        rollup = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        kib = dict(re.findall(r"^(\w+):\s+(\d+) kB$", rollup, re.M))
        return {"all": int(kib["Rss"]) * 1024, "of_no_file": int(kib["Anonymous"]) * 1024}

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0, self.process.returncode
        self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.kill() if kind else self.end()


def ask(connection, method: str, path: str, body=None) -> tuple[int, bytes]:
    """The status and the body of an answer."""
    headers = {"Content-Type": "application/json"} if body is not None else {}
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def results(status: int, body: bytes) -> list[dict]:
    assert status == 200, (status, body[:300])
    return json.loads(body)["results"]


def size(folder: Path) -> int:
    """The bytes of the files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def drop_from_memory(folder: Path) -> None:
    """Asks the system to forget the pages of the files of a folder."""
    os.sync()
    for path in folder.rglob("*"):
        if path.is_file():
            with open(path, "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
