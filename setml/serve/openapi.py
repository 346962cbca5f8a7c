"""The HTTP interface in OpenAPI's words."""

from __future__ import annotations

from typing import Any, Final

from setml import __version__
from setml.cards import ATTRIBUTES, VALUES

_PROBLEM: Final = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
_RETRY: Final = {
    "Retry-After": {"description": "Seconds until it is worth another try.", "schema": {"type": "integer"}}
}
_PROBLEMS: Final = {
    "408": {"description": "The photo did not arrive in time.", "content": _PROBLEM},
    "413": {"description": "The photo has too many bytes or pixels.", "content": _PROBLEM},
    "415": {"description": "It is no photo.", "content": _PROBLEM},
    "422": {"description": "It is a photo, but damaged.", "content": _PROBLEM},
    "429": {"description": "Too many requests of this address at a time.", "content": _PROBLEM, "headers": _RETRY},
    "503": {"description": "Too many photos at work, or it took too long.", "content": _PROBLEM, "headers": _RETRY},
}
_PHOTO: Final = {
    "required": True,
    "description": "The bytes of a JPEG, PNG, WebP, BMP, TIFF, AVIF or HEIC photo.",
    "content": {
        kind: {"schema": {"type": "string", "format": "binary"}} for kind in ("image/*", "application/octet-stream")
    },
}


def _answer(description: str, kind: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {kind: {"schema": schema}}}


_CORNERS: Final = {
    "type": "array",
    "minItems": 4,
    "maxItems": 4,
    "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}},
    "description": "In pixels of the photo as seen, clockwise, the first edge a short one.",
}
_CARD: Final = {
    "type": "object",
    "required": [*ATTRIBUTES, "corners", "confidence", "certain"],
    "properties": {
        **{name: {"enum": list(VALUES[name])} for name in ATTRIBUTES},
        "corners": _CORNERS,
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "certain": {"type": "boolean"},
    },
}
_PLACES: Final = {"type": "array", "minItems": 3, "maxItems": 3, "items": {"type": "integer"}}
_SOLUTION: Final = {
    "type": "object",
    "required": ["image", "width", "height", "cards", "sets", "certain_sets", "warnings", "seconds"],
    "properties": {
        "image": {"type": "string"},
        "width": {"type": "integer"},
        "height": {"type": "integer"},
        "cards": {"type": "array", "items": {"$ref": "#/components/schemas/Card"}},
        "sets": {"type": "array", "items": _PLACES, "description": "Places in `cards`."},
        "certain_sets": {"type": "array", "items": {"type": "boolean"}},
        "warnings": {"type": "array", "items": {"type": "string"}},
        "seconds": {"type": "object", "additionalProperties": {"type": "number"}},
    },
}
_HEALTH: Final = {
    "type": "object",
    "required": ["status", "version", "keeps_corrections"],
    "properties": {
        "status": {"const": "ok"},
        "version": {"type": "string"},
        "keeps_corrections": {"type": "boolean"},
    },
}
_CORRECTION: Final = [
    {
        "name": "card",
        "in": "query",
        "required": True,
        "schema": {"type": "string", "pattern": "^[123][RGP][STO][DOQ]$"},
        "description": "What the card really is: 2RTD is two striped red diamonds.",
    },
    {
        "name": "corners",
        "in": "query",
        "required": True,
        "schema": {"type": "string"},
        "description": "Eight numbers with commas between, x and y of each corner.",
    },
]

#: The document that ``/api/openapi.json`` returns.
OPENAPI: Final[dict[str, Any]] = {
    "openapi": "3.1.0",
    "info": {
        "title": "setml",
        "version": __version__,
        "summary": "Reads a photograph of cards of the game SET and finds every valid set on it.",
    },
    "paths": {
        "/api/solve": {
            "post": {
                "summary": "Find all cards and all sets of a photo.",
                "requestBody": _PHOTO,
                "responses": {
                    "200": _answer("Found.", "application/json", {"$ref": "#/components/schemas/Solution"}),
                    **_PROBLEMS,
                },
            }
        },
        "/api/picture": {
            "post": {
                "summary": "Turn a photo that a browser cannot show, such as HEIC, to a JPEG.",
                "requestBody": _PHOTO,
                "responses": {
                    "200": _answer("The picture.", "image/jpeg", {"type": "string", "format": "binary"}),
                    **_PROBLEMS,
                },
            }
        },
        "/api/corrections": {
            "post": {
                "summary": "Give the crop of one card, and what it really is, to the server's owner.",
                "parameters": _CORRECTION,
                "requestBody": _PHOTO,
                "responses": {
                    "204": {"description": "Kept."},
                    "403": {"description": "This server keeps none.", "content": _PROBLEM},
                    **_PROBLEMS,
                },
            }
        },
        "/api/health": {
            "get": {
                "summary": "Tell whether the server works.",
                "responses": {"200": _answer("It does.", "application/json", _HEALTH)},
            }
        },
    },
    "components": {
        "schemas": {
            "Card": _CARD,
            "Solution": _SOLUTION,
            "Problem": {
                "type": "object",
                "required": ["type", "title", "status", "detail"],
                "properties": {
                    "type": {"type": "string"},
                    "title": {"type": "string"},
                    "status": {"type": "integer"},
                    "detail": {"type": "string"},
                },
            },
        }
    },
}
