"""Clients that hold connections: idle ones, and slow ones that send a request byte by byte or do
not read their answer."""

import selectors
import socket
import time
from contextlib import contextmanager

from .service_load import in_background

PAUSE = 0.05


@contextmanager
def crowd(address: tuple[str, int], idle: int, slow: int):
    """Keeps this many idle and slow connections open, with `counts` of what they have seen."""
    counts = {"opened": 0, "closed": 0}

    def work(stopped):
        waiting = selectors.DefaultSelector()
        senders, place = [], 0
        for number in range(idle + slow):
            client = socket.create_connection(address)
            client.setblocking(False)
            counts["opened"] += 1
            waiting.register(client, selectors.EVENT_READ)
            if number >= idle:
                client.send(
                    b"POST /v1/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n"
                    b"Content-Type: application/json\r\n\r\n"
                )
                senders.append(client)
        while not stopped.is_set():
            # A tenth of the slow clients send a byte in each round.
            place = (place + 1) % 10
            for client in senders[place::10]:
                try:
                    client.send(b" ")
                except OSError:
                    pass
            for key, _ in waiting.select(0):
                try:
                    is_open = key.fileobj.recv(65536)
                except OSError:
                    is_open = b""
                if not is_open:
                    waiting.unregister(key.fileobj)
                    key.fileobj.close()
                    counts["closed"] += 1
            senders = [client for client in senders if client.fileno() >= 0]
            time.sleep(PAUSE)
        for key in list(waiting.get_map().values()):
            key.fileobj.close()

    with in_background(work):
        while counts["opened"] < idle + slow:
            time.sleep(PAUSE)
        yield counts
