"""Labelled crops: single cards, and what is none, with their truth and where they come from."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Final, Self

import cv2
import numpy as np
import numpy.typing as npt

from setml.cards import ATTRIBUTES, VALUES, Card
from setml.cores import share
from setml.datasets.catalogue import read_catalogue
from setml.datasets.truth import Truth, TruthError
from setml.extractors.layout import MOST_LAYOUT_ERROR, read_layout
from setml.extractors.rectify import CROP_SIZES, Corners, rectify
from setml.photo import BGR, SUFFIXES, read_photo

#: What stands for the values of a crop that shows no card.
NO_CARD: Final = (-1, -1, -1, -1)


@dataclass(frozen=True, eq=False)
class LabelledCrops:
    """Crops with their truth; all arrays have the same length n.

    Attributes
    ----------
    images : ndarray, uint8, (n, H, W, 3)
        BGR, upright.
    values : ndarray, int8, (n, 4)
        The place of each attribute's value in `VALUES`; -1 where there is no card.
    photos, sources, splits, editions, paths : ndarray of str, (n,)
        The photograph each was cut from (crops of one are one observation), who took it, what it may be used
        for, how its deck is printed, and the crop's own name.
    """

    images: npt.NDArray[np.uint8]
    values: npt.NDArray[np.int8]
    photos: npt.NDArray[np.str_]
    sources: npt.NDArray[np.str_]
    splits: npt.NDArray[np.str_]
    editions: npt.NDArray[np.str_]
    paths: npt.NDArray[np.str_]

    def __post_init__(self) -> None:
        lengths = {field.name: len(getattr(self, field.name)) for field in fields(self)}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"lengths differ: {lengths}")

    def __len__(self) -> int:
        return len(self.images)

    @property
    def is_card(self) -> npt.NDArray[np.bool_]:
        """Which of them show a card: (n,)."""
        return np.asarray(self.values[:, 0] >= 0)

    @property
    def cards(self) -> list[Card | None]:
        """What each shows; None is no card."""
        return [
            None if row[0] < 0 else Card(*(VALUES[name][place] for name, place in zip(ATTRIBUTES, row, strict=True)))
            for row in self.values
        ]

    def take(self, which: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> Self:
        """Return some of them, by mask or by place."""
        return type(self)(*(getattr(self, field.name)[which] for field in fields(self)))

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Put several together, in their order."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    @classmethod
    def of(
        cls,
        images: Sequence[BGR],
        cards: Iterable[Card | None],
        source: str,
        split: str,
        editions: Sequence[str] | str,
        photos: Sequence[str] | None = None,
        paths: Sequence[str] | None = None,
    ) -> Self:
        """Make them of one source and split; without names each is a photograph of its own."""
        n = len(images)
        names = [f"{source}/{place}" for place in range(n)]
        width, height = CROP_SIZES["card"]
        return cls(
            np.stack(images) if n else np.empty((0, height, width, 3), np.uint8),
            np.array([places_of(card) for card in cards], np.int8).reshape(-1, 4),
            np.array(names if photos is None else photos, np.str_),
            np.full(n, source, np.dtype("U32")),
            np.full(n, split, np.dtype("U8")),
            np.array([editions] * n if isinstance(editions, str) else editions, np.dtype("U16")),
            np.array(names if paths is None else paths, np.str_),
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of images and truth, by which a report says what it was made on."""
        seen = hashlib.sha256()
        for array in (self.images, self.values):
            seen.update(np.ascontiguousarray(array).tobytes())
        return seen.hexdigest()


def places_of(card: Card | None) -> tuple[int, ...]:
    """Return the place of each attribute's value, -1 for no card."""
    if card is None:
        return NO_CARD
    return tuple(VALUES[name].index(getattr(card, name)) for name in ATTRIBUTES)


@dataclass(frozen=True)
class CropFile:
    """One crop on disk and its truth, before it is read; `shows` is the share of the card's sides that it shows."""

    path: Path
    card: Card
    photo: str
    source: str = "own"
    split: str = "train"
    edition: str = "classic"
    shows: float = 1.0


def list_crops(folder: Path) -> list[CropFile]:
    """List the labelled crops of a folder.

    Parameters
    ----------
    folder : Path
        Either holds ``crops.csv`` with the columns path and card, and, if known, photo, source, split and
        edition; or has a folder for each card, named by its code: ``2RTD/anything.jpg``.

    Raises
    ------
    TruthError
        If there is neither, or a row or a name cannot be understood; the message is one line.
    """
    table = folder / "crops.csv"
    if table.exists():
        return list(_listed(table))
    found = [
        CropFile(path, _card(path.parent.name, path), str(path.relative_to(folder)))
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in SUFFIXES
    ]
    if not found:
        raise TruthError(f"{folder}: has no crops; expected crops.csv or a folder for each card, as in 2RTD/one.jpg")
    return found


def _listed(table: Path) -> Iterator[CropFile]:
    catalogue = read_catalogue()
    with table.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        missing = {"path", "card"} - set(rows.fieldnames or ())
        if missing:
            raise TruthError(f"{table}: has no column {', '.join(sorted(missing))}; expected at least path and card")
        for row in rows:
            path = table.parent / row["path"]
            source = row.get("source") or "own"
            yield CropFile(
                path=path,
                card=_card(row["card"], path),
                photo=f"{source}/{row.get('photo') or row['path']}",
                source=source,
                split=row.get("split") or "train",
                edition=row.get("edition") or "classic",
                shows=catalogue[source].shows if source in catalogue else 1.0,
            )


def _card(code: str, path: Path) -> Card:
    try:
        return Card.from_code(code)
    except ValueError as error:
        raise TruthError(f"{path}: {error}") from None


def read_crops(files: Sequence[CropFile], size: tuple[int, int] = CROP_SIZES["card"]) -> LabelledCrops:
    """Read crops and bring them to one size.

    Parameters
    ----------
    files : sequence of CropFile
        Of any size; what lies broad is turned upright.
    size : (int, int)
        Width and height in pixels of what is returned.

    Raises
    ------
    PhotoError
        If one cannot be read.
    """
    images = np.empty((len(files), size[1], size[0], 3), np.uint8)

    def read(part: slice) -> None:
        for image, file in zip(images[part], files[part], strict=True):
            image[:] = _read_crop(file, size)

    share(read, len(files))
    return LabelledCrops(
        images,
        np.array([places_of(file.card) for file in files], np.int8).reshape(-1, 4),
        np.array([file.photo for file in files], np.str_),
        np.array([file.source for file in files], np.dtype("U32")),
        np.array([file.split for file in files], np.dtype("U8")),
        np.array([file.edition for file in files], np.dtype("U16")),
        np.array([str(file.path) for file in files], np.str_),
    )


def _read_crop(file: CropFile, size: tuple[int, int]) -> BGR:
    """Read one crop: BGR, uint8, upright, of a width and height."""
    read = read_photo(file.path).image
    if read.shape[1] > read.shape[0]:
        read = np.asarray(cv2.rotate(read, cv2.ROTATE_90_CLOCKWISE), np.uint8)
    if file.shows < 1:
        # What is cut off is paper.
        down, across = (round(side * (1 / file.shows - 1) / 2) for side in read.shape[:2])
        read = np.asarray(cv2.copyMakeBorder(read, down, down, across, across, cv2.BORDER_REPLICATE), np.uint8)
    shrinks = read.shape[0] > size[1]
    return np.asarray(cv2.resize(read, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR), np.uint8)


def cut_crops(
    truths: Sequence[Truth],
    scale: float = 1.0,
    copies: int = 1,
    jitter: float = 0.0,
    seed: int = 0,
) -> LabelledCrops:
    """Cut the cards out of labelled photographs by their true corners.

    Parameters
    ----------
    truths : sequence of Truth
        The photographs.
    scale : float
        Of the crops' size, 1 for 180 x 280 pixels.
    copies : int
        How often each card is cut.
    jitter : float
        How far each corner is off, as an extractor errs: standard deviation in the card's short sides.
    seed : int
        Of the jitter.

    Raises
    ------
    PhotoError
        If a photograph cannot be read.
    """
    rng = np.random.default_rng(seed)
    parts = []
    for truth in truths:
        photo = read_photo(truth.path)
        images, cards, names = [], [], []
        for place, (card, corners) in enumerate(zip(truth.cards, truth.corners / photo.scale, strict=True)):
            upright, error = read_layout(photo.image, corners)
            if error > MOST_LAYOUT_ERROR:
                # Where no symbols tell which way up it lies, the label does.
                upright = corners
            for _ in range(copies):
                images.append(rectify(photo.image, shake(upright, jitter, rng), scale=scale))
                cards.append(card)
                names.append(f"{truth.name}#{place}")
        photos = [truth.name] * len(images)
        if images:
            parts.append(LabelledCrops.of(images, cards, truth.source, truth.split, truth.edition, photos, names))
    return LabelledCrops.join(parts)


def shake(corners: Corners, jitter: float, rng: np.random.Generator) -> Corners:
    """Move each corner by chance: standard deviation in units of the short side; (4, 2) to (4, 2)."""
    side = np.linalg.norm(corners[1] - corners[0])
    return np.asarray(corners + rng.normal(0, 1, (4, 2)) * jitter * side, np.float32)
