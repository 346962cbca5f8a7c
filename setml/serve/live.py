"""A live camera: pictures come in by a WebSocket, what is on the table goes back."""

from __future__ import annotations

import time
from functools import partial
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.websockets import WebSocket, WebSocketDisconnect

from setml.serve.limits import Workers
from setml.serve.problems import ProblemError
from setml.solver import Solver
from setml.track import Tracker

#: A picture of a live camera has at most so many bytes; the server closes the connection that sends more.
MOST_BYTES: Final = 2 * 2**20
#: Codes of RFC 6455 for why a connection is closed.
POLICY_VIOLATION: Final = 1008
TRY_AGAIN_LATER: Final = 1013


def is_foreign(headers: Headers) -> bool:
    """Tell whether a page of another host asks in its visitor's name."""
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")


async def follow(socket: WebSocket) -> None:
    """Answer each picture, JPEG or the like, with the cards and sets as :class:`setml.track.Tracker` has them.

    The browser sends the next picture when the last one is answered, so that none pile up.
    """
    state = socket.app.state
    workers: Workers = state.workers
    if is_foreign(socket.headers):
        await socket.close(POLICY_VIOLATION)
        return
    try:
        with workers.admit(socket.client.host if socket.client else ""):
            await socket.accept()
            await _answer(socket, state.solver, workers)
    except ProblemError:
        await socket.close(TRY_AGAIN_LATER)
    except WebSocketDisconnect:
        pass


async def _answer(socket: WebSocket, solver: Solver, workers: Workers) -> None:
    tracker = Tracker()
    while True:
        picture = await socket.receive_bytes()
        try:
            answer = await workers.run(partial(_look, solver, tracker, picture))
        except ProblemError as problem:
            # A picture that was lost, or no room just now: the next one may do.
            answer = {"error": problem.detail}
        await socket.send_json(answer)


def _look(solver: Solver, tracker: Tracker, picture: bytes) -> dict[str, Any]:
    tracked = tracker.update(solver.solve(picture), time.monotonic())
    return {**tracked.solution.to_dict(), "names": list(tracked.names), "has_changed": tracked.has_changed}
