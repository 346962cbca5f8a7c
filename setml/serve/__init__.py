"""The page that players open on a phone, and the HTTP interface that programs use; needs the extra ``serve``."""

from __future__ import annotations

from setml.serve.app import make_app
from setml.serve.limits import Limits

__all__ = ["Limits", "make_app"]
