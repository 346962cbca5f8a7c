"""The web application: the page, ``/api/solve`` and what else the page needs."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from PIL import Image
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setml import __version__
from setml.cards import Card
from setml.cores import one_core
from setml.photo import FormatError, read_photo
from setml.serve.corrections import keep_crop
from setml.serve.limits import Limits, Workers
from setml.serve.live import follow, is_foreign
from setml.serve.openapi import OPENAPI
from setml.serve.problems import ProblemError, answer_problem
from setml.solver import Solver

#: The page's own files.
PAGE: Final = Path(__file__).parent / "page"
#: Pixels of the longer side of a picture that a browser cannot show itself.
SHOWN_PIXELS: Final = 1600

#: Nothing is loaded from elsewhere, nothing is run that is not a file of the page, nobody else frames it.
SECURITY_HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(self), microphone=(), geolocation=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def make_app(limits: Limits | None = None, keep: Path | None = None, solver: Solver | None = None) -> Starlette:
    """Make the application.

    Parameters
    ----------
    limits : Limits, optional
        What it takes on.
    keep : Path, optional
        A folder for the crops of cards that players corrected and agreed to give; without one nothing is kept.
    solver : Solver, optional
        What reads photos.

    Returns
    -------
    Starlette
        An ASGI application, for uvicorn or any other server.
    """
    workers = Workers(limits or Limits())

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        # There is a worker for each core already.
        with one_core():
            yield
        await asyncio.to_thread(workers.close)

    app = Starlette(
        routes=[
            Route("/", _page),
            Route("/api/solve", _solve, methods=["POST"]),
            Route("/api/picture", _picture, methods=["POST"]),
            Route("/api/corrections", _correct, methods=["POST"]),
            Route("/api/health", _health),
            Route("/api/openapi.json", _openapi),
            WebSocketRoute("/api/live", follow),
            Mount("/page", StaticFiles(directory=PAGE)),
        ],
        exception_handlers={ProblemError: answer_problem, HTTPException: _answer_http},
        middleware=[Middleware(_Secure)],
        lifespan=lifespan,
    )
    app.state.workers, app.state.keep = workers, keep
    with one_core():
        app.state.solver = solver or Solver()
        app.state.solver.load()
    return app


class _Secure:
    """Puts the security headers on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(SECURITY_HEADERS)
                # The page's files are asked for anew each time, so that all are of one version.
                headers["Cache-Control"] = "no-store" if scope["path"].startswith("/api/") else "no-cache"
            await send(message)

        await self.app(scope, receive, send_secured)


async def _answer_http(request: Request, error: Exception) -> Response:
    """Answer what no route knows, or by no such method."""
    assert isinstance(error, HTTPException)
    response = ProblemError(error.status_code, f"{request.method} {request.url.path}: {error.detail.lower()}").answer()
    response.headers.update(error.headers or {})
    return response


async def _page(_request: Request) -> Response:
    return FileResponse(PAGE / "index.html")


async def _health(request: Request) -> Response:
    state = request.app.state
    return JSONResponse({"status": "ok", "version": __version__, "keeps_corrections": state.keep is not None})


async def _openapi(_request: Request) -> Response:
    return JSONResponse(OPENAPI)


async def _solve(request: Request) -> Response:
    solver: Solver = request.app.state.solver

    def solve(data: bytes) -> dict[str, Any]:
        return solver.solve(data).to_dict()

    async with _photo_of(request) as data:
        return JSONResponse(await request.app.state.workers.run(partial(solve, data)))


async def _picture(request: Request) -> Response:
    async with _photo_of(request) as data:
        picture = await request.app.state.workers.run(partial(_as_jpeg, data))
    return Response(picture, media_type="image/jpeg")


def _as_jpeg(data: bytes) -> bytes:
    """Turn a photo of any format to a JPEG that every browser shows."""
    image = read_photo(data, enough=SHOWN_PIXELS).image
    picture = Image.fromarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB))
    picture.thumbnail((SHOWN_PIXELS, SHOWN_PIXELS))
    encoded = io.BytesIO()
    picture.save(encoded, "JPEG", quality=88)
    return encoded.getvalue()


async def _correct(request: Request) -> Response:
    keep: Path | None = request.app.state.keep
    if keep is None:
        raise ProblemError(403, "this server keeps no corrections; its owner can let it, by: setml serve --keep FOLDER")
    if is_foreign(request.headers):
        raise ProblemError(403, "the request comes from another host's page; expected this server's own")
    code, told = request.query_params.get("card", ""), request.query_params.get("corners", "")
    try:
        card = Card.from_code(code)
        corners = np.array([float(number) for number in told.split(",")], np.float32).reshape(4, 2)
    except ValueError:
        detail = f"card is {code[:20]!r} and corners {told[:80]!r}; expected a code such as 2RTD, and eight numbers"
        raise ProblemError(422, detail) from None
    async with _photo_of(request) as data:
        await request.app.state.workers.run(partial(keep_crop, keep, data, card, corners))
    return Response(status_code=204)


@asynccontextmanager
async def _photo_of(request: Request) -> AsyncIterator[bytes]:
    """Read the photo in a request's body, within all limits; its address is counted as long as it is worked on."""
    state = request.app.state
    client = request.client.host if request.client else ""
    with state.workers.admit(client):
        # Before the body, which would be read in vain.
        state.workers.check_room()
        yield await _read_body(request, state.workers.limits)


async def _read_body(request: Request, limits: Limits) -> bytes:
    kind = request.headers.get("content-type", "application/octet-stream").partition(";")[0].strip().lower()
    if not kind.startswith("image/") and kind != "application/octet-stream":
        raise ProblemError(415, f"found {kind[:80]!r}; expected the bytes of a photo, sent as image/jpeg or the like")
    too_large = ProblemError(
        413, f"found more than {limits.upload} bytes; expected a photo below that, send it smaller"
    )
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length) > limits.upload:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(limits.seconds):
            async for piece in request.stream():
                body += piece
                if len(body) > limits.upload:
                    raise too_large
    except TimeoutError:
        raise ProblemError(
            408, f"the photo did not arrive within {limits.seconds:g} seconds; send a smaller one"
        ) from None
    if not body:
        raise ProblemError.of(FormatError("photo: is empty; expected the bytes of a photo in the request's body"))
    return bytes(body)
