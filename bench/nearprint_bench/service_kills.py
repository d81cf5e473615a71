"""Kills a server (kill -9) under load and counts what would be wrong afterwards: a lost document
that was acknowledged, an id that is there twice, a text that two answers call `new`."""

import http.client
import json
import random
import shutil
import subprocess
import threading
import time
from pathlib import Path

from .nearprint import binary
from .service_server import Server, ask, results

CLIENTS = 4
REPEATED = 20  # texts that all clients offer again and again


def text(numbers: random.Random) -> str:
    """Sixty random words."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join("".join(numbers.choices(letters, k=numbers.randrange(3, 9))) for _ in range(60))


def kills(folder: Path, rounds: int, core: int, seed: int = 1) -> dict[str, int]:
    """The counts after this many kills of a server on a new index."""
    shutil.rmtree(folder, ignore_errors=True)
    numbers, lock = random.Random(seed), threading.Lock()
    repeated = [text(numbers) for _ in range(REPEATED)]
    acknowledged: dict[str, str] = {}
    counts = {"kills": 0, "acknowledged": 0, "lost": 0, "double_ids": 0, "wrong_new": 0}
    first: dict[str, str] = {}

    def offer(server: Server, client: int, round: int) -> None:
        own, number = random.Random(f"{seed} {round} {client}"), 0
        connection = server.connection()
        try:
            while True:
                rows = []
                for _ in range(own.randint(1, 20)):
                    number += 1
                    offered = own.choice(repeated) if own.random() < 0.3 else text(own)
                    rows.append({"id": f"{round}-{client}-{number}", "text": offered})
                body = json.dumps({"documents": rows})
                told = results(*ask(connection, "POST", "/v1/documents?if_new=true", body))
                with lock:
                    for row, result in zip(rows, told, strict=True):
                        if result["status"] != "new":
                            continue
                        acknowledged[row["id"]] = row["text"]
                        if row["text"] in repeated:
                            counts["wrong_new"] += row["text"] in first
                            first[row["text"]] = row["id"]
        except (OSError, http.client.HTTPException):
            pass  # the server was killed
        finally:
            connection.close()

    for round in range(rounds):
        server = Server(folder, core)
        clients = [
            threading.Thread(target=offer, args=(server, client, round))
            for client in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        time.sleep(numbers.uniform(0.1, 1.0))
        server.kill()
        counts["kills"] += 1
        for client in clients:
            client.join()
    exported = subprocess.run(
        [binary(), "index", "export", folder], check=True, capture_output=True, text=True
    ).stdout
    ids = [json.loads(line)["id"] for line in exported.splitlines()]
    counts["acknowledged"] = len(acknowledged)
    counts["lost"] = len(acknowledged.keys() - set(ids))
    counts["double_ids"] = len(ids) - len(set(ids))
    subprocess.run([binary(), "index", "verify", folder], check=True, stdout=subprocess.DEVNULL)
    return counts
