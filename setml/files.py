"""Files that are written: beside their place first, then renamed into it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import cv2

from setml.photo import BGR

#: The suffixes a picture can be written with.
PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")


def write_file(path: Path, data: bytes, *, overwrite: bool = False) -> None:
    """Write a whole file or nothing.

    Raises
    ------
    FileExistsError
        If there is a file already and `overwrite` is not set.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.write(data)
        # What mkstemp makes only its owner may read; the umask says who may read other files.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        if overwrite:
            os.replace(beside, path)
        else:
            # Unlike a rename, a link never replaces a file that came into being meanwhile.
            os.link(beside, path)
    finally:
        Path(beside).unlink(missing_ok=True)


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
