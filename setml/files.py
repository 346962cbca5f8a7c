"""Files that are written: beside their place first, then renamed into it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2

from setml.photo import BGR

#: The suffixes a picture can be written with.
PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")


@contextmanager
def written_beside(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a file beside `path` to write to, which takes its place when all is written; if writing fails, nothing does.

    Raises
    ------
    FileExistsError
        If there is a file already and `overwrite` is not set.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix)
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        # What mkstemp makes only its owner may read; the umask says who may read other files.
        mask = os.umask(0)
        os.umask(mask)
        beside.chmod(0o666 & ~mask)
        if overwrite:
            beside.replace(path)
        else:
            # Unlike a rename, a link never replaces a file that came into being meanwhile.
            os.link(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def write_file(path: Path, data: bytes, *, overwrite: bool = False) -> None:
    """Write a whole file or nothing.

    Raises
    ------
    FileExistsError
        If there is a file already and `overwrite` is not set.
    """
    with written_beside(path, overwrite=overwrite) as beside:
        beside.write_bytes(data)


def write_picture(path: Path, image: BGR, *, overwrite: bool = False) -> None:
    """Write an image as JPEG, PNG or WebP by its suffix; `image` is BGR, uint8, H x W x 3.

    Raises
    ------
    ValueError
        If the suffix is none of :data:`PICTURE_SUFFIXES`.
    FileExistsError
        If there is a file already and `overwrite` is not set.
    """
    suffix = path.suffix.lower()
    if suffix not in PICTURE_SUFFIXES:
        raise ValueError(f"{path}: cannot write {suffix or 'a file without suffix'}; expected .jpg, .png or .webp")
    _, encoded = cv2.imencode(suffix, image)
    write_file(path, encoded.tobytes(), overwrite=overwrite)


def project_file(name: str) -> Path:
    """Find a file or folder that ships with the program: in the package once installed, beside it in a checkout."""
    package = Path(__file__).parent
    installed = package / name
    return installed if installed.exists() else package.parent / name
