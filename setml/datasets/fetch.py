"""Download of what may be learned from: verified, resumable, and laid out as labelled crops."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

import pooch
import requests

from setml.cards import Card
from setml.datasets.catalogue import DataSource
from setml.files import write_file

#: The checksums of archives that were downloaded, beside them.
CHECKSUMS: Final = "checksums.json"


class FetchError(RuntimeError):
    """Something could not be downloaded or is not what it should be; the message is one line."""


def fetch(
    sources: Sequence[DataSource],
    folder: Path,
    tell: Callable[[str], None] = print,
    progress: bool = False,
) -> int:
    """Download the crops of sources and lay them out under ``folder/crops``, with a ``crops.csv``.

    A source that is there already is verified and not downloaded again. Its commit names an archive's content;
    the archive's SHA-256 is noted at the first download and must be the same ever after.

    Parameters
    ----------
    sources : sequence of DataSource
        Those without crops are passed over.
    folder : Path
        Where to.
    tell : callable
        Is told a line for each source.
    progress : bool
        Show how far each download is.

    Returns
    -------
    int
        How many crops there are.

    Raises
    ------
    FetchError
        If there is no network, an address is gone, or a checksum differs.
    """
    rows: list[dict[str, str]] = []
    for source in sources:
        if source.crops is None:
            continue
        archive = _download(source, folder / "archives", progress)
        taken = _unpack(source, archive, folder / "crops")
        tell(f"{source.name}: {len(taken)} crops, {source.licence}")
        rows += taken
    text = io.StringIO()
    writer = csv.DictWriter(text, ["path", "source", "split", "licence", "edition", "photo", "card"])
    writer.writeheader()
    writer.writerows(rows)
    write_file(folder / "crops" / "crops.csv", text.getvalue().encode(), overwrite=True)
    return len(rows)


def _download(source: DataSource, folder: Path, progress: bool) -> Path:
    """Download the archive of a source, unless it is there and whole."""
    noted = folder / CHECKSUMS
    checksums: dict[str, str] = json.loads(noted.read_text("utf-8")) if noted.exists() else {}
    known = checksums.get(source.address)
    name = f"{source.name}-{source.commit[:12]}.zip"
    try:
        path = Path(pooch.retrieve(source.address, known, name, folder, progressbar=progress))
    except requests.RequestException:
        raise FetchError(
            f"{source.address}: cannot be reached; expected a network, or name a local copy with --from or SETML_DATA"
        ) from None
    except ValueError as error:
        # Pooch says both checksums over several lines.
        raise FetchError(f"{folder / name}: {' '.join(str(error).split())}; delete the file and try again") from None
    checksums[source.address] = pooch.file_hash(path)
    write_file(noted, json.dumps(checksums, indent=1).encode(), overwrite=True)
    return path


def _unpack(source: DataSource, archive: Path, folder: Path) -> list[dict[str, str]]:
    """Lay the crops of an archive out by their cards: a row of ``crops.csv`` for each."""
    assert source.crops is not None
    pattern = re.compile(source.crops)
    rows = []
    with zipfile.ZipFile(archive) as files:
        for entry in files.infolist():
            # All of an archive lies in a folder named by repository and commit.
            inner = PurePosixPath(*PurePosixPath(entry.filename).parts[1:])
            match = pattern.fullmatch(str(inner))
            if match is None:
                continue
            card = card_of(source, match)
            name = f"{source.name}/{card.code}/{inner.name}"
            if not (folder / name).exists():
                write_file(folder / name, files.read(entry))
            rows.append(
                {
                    "path": name,
                    "source": source.name,
                    "split": source.split,
                    "licence": source.licence,
                    "edition": source.edition,
                    "photo": match.groupdict().get("photo") or inner.stem,
                    "card": card.code,
                }
            )
    if not rows:
        raise FetchError(f"{archive}: holds no crop of {source.name}; expected paths as {source.crops}")
    return rows


def card_of(source: DataSource, match: re.Match[str]) -> Card:
    """Tell by the words in a path which card a crop shows.

    Raises
    ------
    FetchError
        If a word is not in the catalogue.
    """
    words = {name: word for name, word in match.groupdict().items() if name != "photo"}
    try:
        ours = {name: source.words.get(word, word) for name, word in words.items()}
        return Card(int(ours["count"]), ours["color"], ours["shading"], ours["shape"])
    except (KeyError, ValueError) as error:
        raise FetchError(f"{match.string}: {error}; expected words that the catalogue explains") from None
