"""What one server takes on: bytes, seconds, photos at a time; and the workers that solve within that."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, TypeVar

from setml.photo import PhotoError
from setml.serve.problems import ProblemError

Result = TypeVar("Result")

#: About how long a photo takes before any has been solved, in seconds.
FIRST_GUESS: Final = 0.2


@dataclass(frozen=True)
class Limits:
    """What a server takes on.

    Attributes
    ----------
    upload : int
        Bytes of a photo.
    seconds : float
        For solving one photo, and for sending one.
    workers : int
        Photos that are solved at a time.
    waiting : int
        Photos that wait for a worker; more are refused, so that nobody waits long.
    each : int
        Requests and live cameras of one address at a time.
    """

    upload: int = 16 * 2**20
    seconds: float = 20.0
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    waiting: int = 2
    each: int = 16


class Workers:
    """A few threads that solve photos; most of their time is spent in code that lets others run.

    Parameters
    ----------
    limits : Limits
        How many threads, how many photos may wait, and for how long.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._threads = ThreadPoolExecutor(limits.workers, thread_name_prefix="solver")
        self._taken = 0
        self._clients: Counter[str] = Counter()
        self._seconds = FIRST_GUESS

    @contextmanager
    def admit(self, client: str) -> Iterator[None]:
        """Count a request among those of its address, or refuse it."""
        if self._clients[client] >= self.limits.each:
            detail = f"found {self.limits.each} requests of this address at work; expected fewer, wait for an answer"
            raise ProblemError(429, detail, retry_after=1)
        self._clients[client] += 1
        try:
            yield
        finally:
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]

    def check_room(self) -> None:
        """Refuse more work where all workers are busy and enough photos wait."""
        if self._taken >= self.limits.workers + self.limits.waiting:
            wait = max(1, round(self._seconds * self._taken / self.limits.workers))
            raise ProblemError(
                503, f"found {self._taken} photos at work; expected fewer, try again soon", retry_after=wait
            )

    async def run(self, call: Callable[[], Result]) -> Result:
        """Let a worker make a call; a photo that cannot be read, or too little time or room, is a problem."""
        self.check_room()
        self._taken += 1
        started = time.perf_counter()
        future = self._threads.submit(call)
        loop = asyncio.get_running_loop()
        # Counted until the work ends, even if nobody waits for it any more.
        future.add_done_callback(lambda done: loop.call_soon_threadsafe(self._finish, done, started))
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await asyncio.shield(asyncio.wrap_future(future))
        except TimeoutError:
            detail = f"the photo took more than {self.limits.seconds:g} seconds; expected less, send a smaller one"
            raise ProblemError(503, detail, retry_after=max(1, round(self.limits.seconds))) from None
        except PhotoError as error:
            raise ProblemError.of(error) from None

    def _finish(self, done: Future[Result], started: float) -> None:
        self._taken -= 1
        self._seconds += 0.1 * (time.perf_counter() - started - self._seconds)

    def close(self) -> None:
        """Finish what was taken, and take no more."""
        self._threads.shutdown()
