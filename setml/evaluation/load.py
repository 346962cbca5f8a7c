"""How the server bears more clients than it can serve: ``make load``."""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Final

import click
import cv2
import numpy as np
import psutil

from setml.datasets.tables import draw_table
from setml.files import write_file

#: Photos that are solved one after the other first, to know how long one takes alone.
ALONE: Final = 40
#: Of the drawn photo that all clients send: as large as the page makes them.
SIZE: Final = (1600, 1200)


class _Clients:
    """Clients that send a photo again and again, each waiting as long as it is told to when it is refused."""

    def __init__(self, host: str, photo: bytes) -> None:
        self.host = host
        self.photo = photo
        self.statuses: Counter[int | str] = Counter()
        self.seconds: list[float] = []
        self._lock = threading.Lock()

    def ask(self) -> float:
        """Send the photo once; return how long to wait before it is sent again."""
        started = time.perf_counter()
        try:
            with closing(http.client.HTTPConnection(self.host, timeout=60)) as connection:
                connection.request("POST", "/api/solve", self.photo, {"Content-Type": "image/jpeg"})
                answer = connection.getresponse()
                answer.read()
                status, wait = answer.status, float(answer.headers.get("Retry-After", 0))
        except OSError as error:
            with self._lock:
                self.statuses[f"lost: {type(error).__name__}"] += 1
            return 1.0
        with self._lock:
            self.statuses[status] += 1
            if status == 200:
                self.seconds.append(time.perf_counter() - started)
        return wait

    def go_on(self, end: float) -> None:
        """Ask until the end."""
        while time.perf_counter() < end:
            wait = self.ask()
            time.sleep(min(wait, max(0.0, end - time.perf_counter())))


@click.command()
@click.option("--clients", type=click.IntRange(min=1), default=32, show_default=True)
@click.option("--seconds", type=click.IntRange(min=1), default=60, show_default=True)
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the table here, as Markdown.")
def main(clients: int, seconds: int, output: Path | None) -> None:
    """Let many clients at a server and count what becomes of their requests."""
    _, photo = cv2.imencode(".jpg", draw_table(12, seed=1, size=SIZE).image)
    command = [sys.executable, "-m", "setml", "serve", "--port", "0"]
    lines = ["| what | figure |", "|:--|--:|"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        host = server.stdout.readline().split()[3].removeprefix("http://")
        try:
            for what, figure in _measure(_Clients(host, photo.tobytes()), server.pid, clients, seconds):
                lines.append(f"| {what} | {figure} |")
                click.echo(lines[-1])
        finally:
            server.terminate()
    if output is not None:
        write_file(output, ("# Load\n\n" + "\n".join(lines) + "\n").encode(), overwrite=True)


def _measure(asking: _Clients, server: int, clients: int, seconds: int) -> list[tuple[str, str]]:
    for _ in range(ALONE):
        asking.ask()
    alone = float(np.percentile(asking.seconds, 50))
    asking.seconds.clear()
    asking.statuses.clear()
    before = _memory(server)
    end = time.perf_counter() + seconds
    threads = [threading.Thread(target=asking.go_on, args=(end,)) for _ in range(clients)]
    for thread in threads:
        thread.start()
    time.sleep(seconds / 2)
    halfway = _memory(server)
    for thread in threads:
        thread.join()
    slow = float(np.percentile(asking.seconds, 95)) if asking.seconds else float("nan")
    rows = [
        (f"{clients} clients for {seconds} s, answered {status}", f"{count}")
        for status, count in asking.statuses.items()
    ]
    return [
        *sorted(rows),
        ("one photo alone, median", f"{1000 * alone:.0f} ms"),
        ("of those accepted, 95 % within", f"{1000 * slow:.0f} ms"),
        ("that is, times one alone", f"{slow / alone:.2f}"),
        ("memory before, halfway and after", f"{before:.0f}, {halfway:.0f}, {_memory(server):.0f} MB"),
    ]


def _memory(process: int) -> float:
    """Return how much memory a process has, in megabytes."""
    return float(psutil.Process(process).memory_info().rss) / 2**20


if __name__ == "__main__":
    main()
