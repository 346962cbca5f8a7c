"""Errors as RFC 9457, "Problem details for HTTP APIs", has them."""

from __future__ import annotations

import json
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from setml.photo import FormatError, PhotoError, SizeError


class ProblemError(Exception):
    """What a request is answered with if it cannot be done.

    Parameters
    ----------
    status : int
        Of HTTP.
    detail : str
        What was found, what was expected, what to do; one line.
    retry_after : int, optional
        Seconds until it is worth another try.
    """

    def __init__(self, status: int, detail: str, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.retry_after = retry_after

    @classmethod
    def of(cls, error: PhotoError) -> ProblemError:
        """Turn the error of a photo to one of HTTP: too large, no photo, or one that cannot be read."""
        status = 413 if isinstance(error, SizeError) else 415 if isinstance(error, FormatError) else 422
        return cls(status, str(error))

    def answer(self) -> Response:
        """Return it as a response."""
        body = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
        }
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        if self.status in (408, 413, 503):
            # What was not read of the request is not read any more.
            headers["Connection"] = "close"
        return Response(json.dumps(body), self.status, headers, "application/problem+json")


async def answer_problem(_request: Request, problem: Exception) -> Response:
    """Answer a request that ran into a problem."""
    assert isinstance(problem, ProblemError)
    return problem.answer()
