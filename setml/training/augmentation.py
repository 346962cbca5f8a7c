"""Augmentation of crops: Keras' `ImageDataGenerator` with what lamps, cameras, hands and extractors do to a card."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.classifiers.views import WORKING_SIZE
from setml.datasets.crops import list_crops, read_crops
from setml.datasets.drawn import draw_crops
from setml.extractors.rectify import CROP_SIZES
from setml.photo import BGR

Floats = npt.NDArray[np.float32]

#: A card of which more than this share is covered cannot be told any more.
MOST_COVERED: Final = 0.6

# Noise is taken from one large piece, at a place by chance: drawing it anew costs more than all the rest.
_GRAIN: Final = np.random.default_rng(0).normal(0, 1, (700, 700, 3)).astype(np.float32)


class Augmenter:
    """The `preprocessing_function` that spoils a crop: framing, light, cover, camera, in the order of nature.

    Parameters
    ----------
    seed : int
        The same seed gives the same crops in the same order.
    strength : float
        0 leaves all as it is, 1 is what is trained with.

    Examples
    --------
    >>> augment = Augmenter(seed=1)
    >>> augment(np.full((174, 112, 3), 255, np.uint8)).shape
    (174, 112, 3)
    """

    def __init__(self, seed: int = 0, strength: float = 1.0) -> None:
        self.rng = np.random.default_rng(seed)
        self.strength = strength
        self._before: BGR | None = None

    def __call__(self, image: BGR) -> BGR:
        """Spoil one crop: BGR, uint8, (H, W, 3), to the same."""
        if not self.strength:
            return image
        image = np.asarray(image, np.uint8)
        before, self._before = self._before, image
        if before is not None and self._happens(0.08):
            image = self._cover(image, before)
        framed = self._frame(image)
        if self._happens(0.08):
            self._thumb(framed)
        if self._happens(0.06):
            framed = self._cut_off(framed)
        return self.photograph(framed)

    def photograph(self, image: BGR, card_width: float | None = None) -> BGR:
        """Light a scene and take its picture.

        Parameters
        ----------
        image : ndarray
            BGR, uint8, (H, W, 3).
        card_width : float, optional
            How wide a card is in it, in pixels, by which blur is measured; by default the whole width.

        Returns
        -------
        ndarray
            BGR, uint8, (H, W, 3).
        """
        fineness = (card_width or image.shape[1]) / WORKING_SIZE[0]
        weak = self._happens(0.2)
        seen = self._light(image.astype(np.float32))
        if weak:
            seen = self._weaken(seen)
        if self._happens(0.25):
            seen = self._blur(seen, fineness)
        if weak or self._happens(0.3):
            seen = self._bleed(seen, fineness)
        if self._happens(0.4):
            seen = self._resample(seen, fineness)
        if self._happens(0.12):
            seen += self._uniform(0.3, 1.2) * (seen - cv2.GaussianBlur(seen, (0, 0), 1.2))
        seen += self._uniform(0, 9) * self._uniform(0, 1) * self._grain(seen.shape)
        spoiled = np.clip(seen, 0, 255).astype(np.uint8)
        if self._happens(0.4):
            quality = int(self.rng.integers(28, 92))
            _, jpeg = cv2.imencode(".jpg", spoiled, [cv2.IMWRITE_JPEG_QUALITY, quality])
            spoiled = np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)
        return spoiled

    def _happens(self, chance: float) -> bool:
        return bool(self.rng.random() < chance * self.strength)

    def _uniform(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def _normal(self, deviation: float) -> float:
        return float(self.rng.normal(0, deviation * self.strength))

    def _frame(self, image: BGR) -> BGR:
        """Cut as an extractor errs: corners off by a few per cent, loosely or too closely."""
        height, width = image.shape[:2]
        size = np.array([width, height], np.float32)
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        shares = self.rng.normal(0, 0.012 * self.strength, (4, 2))
        if self._happens(0.35):
            # Loosely: the card is only a part of the crop, and not in its middle.
            room = self.rng.uniform(0, 0.2, 2)
            shares += (square - self.rng.uniform(0, 1, 2)) * -room
        elif self._happens(0.35):
            shares += (square - 0.5) * self.rng.uniform(0, 0.1, 2)
        if self._happens(0.3):
            angle = np.deg2rad(self._normal(2.5))
            turned = (square - 0.5) * (1, height / width)
            shares += np.stack([-turned[:, 1], turned[:, 0]], axis=1) * np.sin(angle) * (1, width / height)
        warp = cv2.getPerspectiveTransform(square * size, ((square + shares) * size).astype(np.float32))
        edge = self.rng.random()
        if edge < 0.4:
            return np.asarray(cv2.warpPerspective(image, warp, (width, height), borderMode=cv2.BORDER_REPLICATE))
        if edge < 0.6:
            # A neighbour's edge: paper too, beyond a thin dark gap.
            padded = cv2.copyMakeBorder(image, 2, 2, 2, 2, cv2.BORDER_CONSTANT, value=self._tint(0, 140))
            padded = cv2.copyMakeBorder(padded, 30, 30, 30, 30, cv2.BORDER_CONSTANT, value=self._paper(image))
            shift = np.array([[1, 0, -32], [0, 1, -32], [0, 0, 1]], float)
            return np.asarray(
                cv2.warpPerspective(padded, warp @ shift, (width, height), borderMode=cv2.BORDER_REPLICATE)
            )
        return np.asarray(
            cv2.warpPerspective(
                image, warp, (width, height), borderMode=cv2.BORDER_CONSTANT, borderValue=self._tint(0, 256)
            )
        )

    def _cover(self, image: BGR, other: BGR) -> BGR:
        """Lay another card over a side or a corner, as cards lie in a heap."""
        height, width = image.shape[:2]
        angle = np.deg2rad(self.rng.choice([0, 90, 180, 270]) + self.rng.normal(0, 8))
        cos, sin = np.cos(angle), np.sin(angle)
        # So far from middle to middle that about a quarter of the card is covered.
        away = self._uniform(0, 2 * np.pi)
        reach = self._uniform(0.5, 0.95) * np.array([width, height])
        middle = np.array([width, height]) / 2 + reach * [np.cos(away), np.sin(away)]
        turn = np.array([[cos, -sin], [sin, cos]])
        warp = np.hstack([turn, (middle - turn @ [width / 2, height / 2])[:, None]])
        edge = cv2.copyMakeBorder(other[1:-1, 1:-1], 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=self._tint(60, 200))
        mask = cv2.warpAffine(np.full((height, width), 255, np.uint8), warp, (width, height))
        if (mask > 127).mean() > MOST_COVERED:
            return image
        laid = cv2.warpAffine(edge, warp, (width, height), borderMode=cv2.BORDER_REPLICATE)
        return np.where(mask[..., None] > 127, laid, image)

    def _cut_off(self, image: BGR) -> BGR:
        """Lose a side beyond the photo's border, and fill it as the rectifier does."""
        along, _ = self._ramp(image.shape)
        reach = float(np.abs(along).max()) * self._uniform(0.3, 0.95)
        lost = along > reach
        filled = image.copy()
        filled[lost] = np.percentile(image[~lost], 75, axis=0)
        return filled

    def _tint(self, low: int, high: int) -> list[int]:
        """Choose a color of no strong hue: BGR."""
        grey = self.rng.integers(low, high)
        return [int(v) for v in np.clip(grey + self.rng.integers(-40, 40, 3), 0, 255)]

    def _paper(self, image: BGR) -> list[int]:
        return [int(v) for v in np.clip(np.percentile(image[::8, ::8], 70, axis=(0, 1)) + self._normal(8), 0, 255)]

    def _light(self, seen: Floats) -> Floats:
        """Light the card: ink and lamp, exposure, shadow, glare, the camera's curve."""
        seen = seen / np.float32(255)
        if self._happens(0.5):
            # Other inks and other cameras: the channels run into each other, white stays white.
            mix = np.eye(3) + self.rng.normal(0, 0.05 * self.strength, (3, 3))
            if self._happens(0.6):
                # Weak color, down to where a person just tells it.
                mix += (1 / 3 - mix) * self._uniform(0, 0.85)
            if self._happens(0.5):
                mix = mix @ turn_of_hue(self._uniform(-18, 18))
            seen = seen @ (mix / mix.sum(axis=1, keepdims=True)).T.astype(np.float32)
        if self._happens(0.7):
            warmth = self._normal(0.22)
            lamp = np.exp([-warmth + self._normal(0.05), self._normal(0.05), warmth + self._normal(0.05)])
            seen = seen * (lamp / lamp.max()).astype(np.float32)
        along, across = self._ramp(seen.shape)
        if self._happens(0.4):
            seen = seen * (1 + self._normal(0.2) * along)[..., None]
        if self._happens(0.25):
            edge = np.clip((along - self._uniform(-0.45, 0.45)) * self._uniform(4, 60) + 0.5, 0, 1)
            shadow = self._uniform(0.35, 0.85) ** np.array([0.85, 1.0, 1.1], np.float32)
            seen = seen * (1 - edge[..., None] * (1 - shadow))
        if self._happens(0.12):
            # Sun on a part of the card, for which the camera has not closed far enough.
            edge = np.clip((along - self._uniform(-0.4, 0.4)) * self._uniform(3, 30) + 0.5, 0, 1)
            seen = seen / max(float(np.percentile(seen[::8, ::8], 80)), 0.02)
            seen = np.clip(seen * (self._uniform(0.5, 1) + self._uniform(0.5, 3) * edge[..., None]), 0, 1)
        if self._happens(0.15):
            off = np.hypot(along - self._uniform(-0.5, 0.5), across - self._uniform(-0.5, 0.5))
            seen = seen + (self._uniform(0.1, 0.7) * np.exp(-((off / self._uniform(0.08, 0.4)) ** 2)))[..., None]
        if self._happens(0.2):
            # Haze: a lens in the light, a sleeve of plastic; of a tint where the camera makes one of its own.
            haze = self._uniform(0, 0.35)
            tint = 1 + self._happens(0.5) * self.rng.normal(0, 0.25 * self.strength, 3)
            seen = seen * (1 - haze) + (haze * tint).astype(np.float32)
        if self._happens(0.6):
            # Measured by the paper, from a dim room's to overexposed.
            paper = max(float(np.percentile(seen[::8, ::8], 80)), 0.02)
            seen = np.clip(seen * np.float32(np.exp(self._uniform(-1.3, 0.75)) / paper), 0, 1)
        if self._happens(0.5):
            seen = np.clip(seen, 0, 1) ** np.float32(np.exp(self._normal(0.25)))
        return np.asarray(np.clip(seen, 0, 1) * 255, np.float32)

    def _weaken(self, seen: Floats) -> Floats:
        """Take the picture with a webcam: weak and tinted color, and paper so bright that channels are at their end."""
        grey = seen.mean(axis=2, keepdims=True)
        paper = max(float(np.percentile(seen[::8, ::8], 80)), 1.0)
        weakened = grey + (seen - grey) * self._uniform(0.2, 0.7)
        # Such a camera has a tint of its own, which lies over all of the picture.
        weakened += (255 * self.rng.normal(0, 0.05 * self.strength, 3)).astype(np.float32)
        return np.asarray(np.clip(weakened * (self._uniform(0.8, 1.35) * 255 / paper), 0, 255), np.float32)

    def _ramp(self, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
        """Coordinates along and across a direction by chance, about -0.5 to 0.5: twice (H, W)."""
        height, width = shape[:2]
        y = np.linspace(-0.5, 0.5, height, dtype=np.float32)[:, None]
        x = np.linspace(-0.5, 0.5, width, dtype=np.float32)[None, :] * np.float32(width / height)
        angle = self._uniform(0, 2 * np.pi)
        cos, sin = np.float32(np.cos(angle)), np.float32(np.sin(angle))
        return x * cos + y * sin, y * cos - x * sin

    def _thumb(self, seen: BGR) -> None:
        """Cover a piece of the edge, as fingers that hold a card do."""
        height, width = seen.shape[:2]
        side = self.rng.integers(4)
        at = (
            (self._uniform(0, width), (0, height)[side % 2])
            if side < 2
            else ((0, width)[side % 2], self._uniform(0, height))
        )
        axes = (round(width * self._uniform(0.06, 0.14)), round(width * self._uniform(0.1, 0.2)))
        skin = self.rng.uniform((60, 80, 110), (170, 190, 240))
        cv2.ellipse(
            seen, (round(at[0]), round(at[1])), axes, self._uniform(0, 180), 0, 360, skin.tolist(), -1, cv2.LINE_AA
        )

    def _blur(self, seen: Floats, fineness: float) -> Floats:
        """Blur by focus or by motion."""
        if self._happens(0.6):
            return np.asarray(cv2.GaussianBlur(seen, (0, 0), fineness * self._uniform(0.3, 1.5)), np.float32)
        reach = max(2, round(fineness * self._uniform(1.7, 6.7)))
        kernel = np.zeros((reach, reach), np.float32)
        angle, middle = self._uniform(0, np.pi), (reach - 1) / 2
        step = np.array([np.cos(angle), np.sin(angle)]) * middle
        start, end = np.round(middle - step).astype(int), np.round(middle + step).astype(int)
        if self._happens(0.7):
            cv2.line(kernel, start.tolist(), end.tolist(), 1)
        else:
            # A shake that stood still twice.
            kernel[start[1], start[0]] = kernel[end[1], end[0]] = 1
        return np.asarray(cv2.filter2D(seen, -1, kernel / kernel.sum()), np.float32)

    def _bleed(self, seen: Floats, fineness: float) -> Floats:
        """Blur and move color alone, of which video and JPEG keep a quarter of the pixels or fewer."""
        luma = (seen @ np.array([0.114, 0.587, 0.299], np.float32))[..., None]
        color = cv2.GaussianBlur(seen - luma, (0, 0), fineness * self._uniform(0.6, 3.5))
        if self._happens(0.4):
            shift = np.array([[1, 0, self._normal(1.5)], [0, 1, self._normal(1.5)]])
            color = cv2.warpAffine(color, shift, seen.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(luma + color, np.float32)

    def _resample(self, seen: Floats, fineness: float) -> Floats:
        """Take the picture with fewer pixels."""
        size = seen.shape[1::-1]
        share = self._uniform(1 - 0.7 * min(fineness, 1), 1)
        small = (max(8, round(size[0] * share)), max(8, round(size[1] * share)))
        fewer = cv2.resize(seen, small, interpolation=cv2.INTER_AREA)
        way = cv2.INTER_LINEAR if self._happens(0.6) else cv2.INTER_CUBIC
        return np.asarray(cv2.resize(fewer, size, interpolation=way), np.float32)

    def _grain(self, shape: tuple[int, ...]) -> Floats:
        """Noise, of grey or of color."""
        y, x = (int(self.rng.integers(0, have - want)) for have, want in zip(_GRAIN.shape[:2], shape[:2], strict=True))
        grain = _GRAIN[y : y + shape[0], x : x + shape[1]]
        return grain if self._happens(0.6) else np.broadcast_to(grain[..., :1], grain.shape)


def turn_of_hue(degrees: float) -> npt.NDArray[np.float64]:
    """Turn colors about the axis of greys, which stay as they are: (3, 3), by Rodrigues' formula.

    Examples
    --------
    >>> turn_of_hue(120).round(9).astype(int).tolist()
    [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    """
    angle = np.deg2rad(degrees)
    across = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) / np.sqrt(3)
    return np.asarray(np.eye(3) * np.cos(angle) + (1 - np.cos(angle)) / 3 + across * np.sin(angle))


def draw_page(folder: Path | None, rows: int, columns: int, seed: int = 0) -> BGR:
    """Draw crops side by side with their augmented copies, for a person to judge.

    Parameters
    ----------
    folder : Path or None
        Labelled crops; None for drawn ones.
    rows, columns : int
        How many crops, and how many pictures of each, the first as it is.
    seed : int
        Of all that is left to chance.

    Returns
    -------
    ndarray
        BGR, uint8, H x W x 3.
    """
    rng = np.random.default_rng(seed)
    if folder is None:
        crops = draw_crops(1, seed, WORKING_SIZE[0] / CROP_SIZES["card"][0]).images
        chosen = crops[rng.choice(len(crops), rows)]
    else:
        files = list_crops(folder)
        chosen = read_crops([files[place] for place in rng.choice(len(files), rows)], WORKING_SIZE).images
    augment = Augmenter(seed)
    lines = [np.hstack([crop, *(augment(crop) for _ in range(columns - 1))]) for crop in chosen]
    return np.vstack(lines)
