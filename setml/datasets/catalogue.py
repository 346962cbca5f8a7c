"""The catalogue of public photographs and crops: where each is, whose, under which licence, in which split."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from setml.files import project_file


@dataclass(frozen=True)
class DataSource:
    """One public source.

    Attributes
    ----------
    name : str
        As labels and reports have it.
    repository : str
        Owner and name on GitHub.
    commit : str
        The state it was taken at; a commit names its files' content.
    licence, split, edition : str
        What it may be used for, and how the cards are printed.
    copy_sha256 : str
        The digest of a labelled copy of its files; see :func:`digest_of`.
    tables : sequence of str
        The paths there of photographs of tables.
    crops : str or None
        A regular expression of the paths there of single cards; its groups named count, color, shading and
        shape say what a crop shows, the one named photo which photograph it was cut from.
    words : mapping of str to str
        What the words of those groups mean here, where they are not ours.
    shows : float
        The share of a card's length and breadth that the crops show.
    note : str
        What else there is to know.
    """

    name: str
    repository: str
    commit: str
    licence: str
    split: str
    edition: str
    copy_sha256: str
    tables: Sequence[str] = ()
    crops: str | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    shows: float = 1.0
    note: str = ""

    @property
    def address(self) -> str:
        """Of an archive of its files."""
        return f"https://codeload.github.com/{self.repository}/zip/{self.commit}"


@cache
def read_catalogue() -> Mapping[str, DataSource]:
    """Read the project's catalogue, ``data/catalogue.toml``, by the names of the sources."""
    entries: dict[str, dict[str, Any]] = tomllib.loads(project_file("data/catalogue.toml").read_text("utf-8"))
    return MappingProxyType({name: DataSource(name=name, **entry) for name, entry in entries.items()})


def digest_of(root: Path, name: str) -> str | None:
    """Digest the files of a source in a labelled copy of the data.

    Parameters
    ----------
    root : Path
        Holds ``crops/NAME`` or ``tables/NAME``, or both.
    name : str
        Of the source.

    Returns
    -------
    str or None
        SHA-256 of the sorted lines ``SHA-256  path`` of all files, as sha256sum prints them; None if there
        are none.
    """
    files = [path for kind in ("crops", "tables") for path in (root / kind / name).rglob("*") if path.is_file()]
    if not files:
        return None
    lines = sorted(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(root).as_posix()}\n" for path in files
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()
