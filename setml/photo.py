"""Photographs: a path, bytes or an open file to a BGR image, safely."""

from __future__ import annotations

import importlib
import io
import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO, Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import ExifTags, Image

#: An image as this package passes it around: BGR, uint8, H x W x 3.
BGR = npt.NDArray[np.uint8]

#: What can be a photo: a path, the bytes of a file, or an open binary file.
Source = str | os.PathLike[str] | bytes | BinaryIO

#: A file of more bytes is refused unread.
MAX_BYTES: Final = 128 * 2**20
#: A photo of more pixels is refused before it is decoded; phones take up to 108 million.
MAX_PIXELS: Final = 120_000_000

#: The suffixes by which photos are found in a folder.
SUFFIXES: Final = frozenset(
    [".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".bmp", ".tif", ".tiff", ".avif", ".heic", ".heif", ".hif"]
)

_JPEG: Final = b"\xff\xd8\xff"
# The first bytes of each format, and Pillow's name of its plugin.
_SIGNATURES: Final = (
    (_JPEG, "Jpeg"),
    (b"\x89PNG\r\n\x1a\n", "Png"),
    (b"BM", "Bmp"),
    (b"II*\0", "Tiff"),
    (b"MM\0*", "Tiff"),
)
_EXPECTED: Final = "expected a JPEG, PNG, WebP, BMP, TIFF, AVIF or HEIC photo"
# The EXIF orientations of photos that are stored on their side.
_LYING: Final = (5, 6, 7, 8)
_HEIC_BRANDS: Final = (b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1")


class PhotoError(ValueError):
    """A photo could not be read; the message is one line that says why and what to do."""


class FormatError(PhotoError):
    """What should be a photo is something else."""


class SizeError(PhotoError):
    """A photo has more bytes or pixels than can be taken in safely."""


@dataclass(frozen=True)
class Photo:
    """A photograph, upright.

    Attributes
    ----------
    image : ndarray
        The pixels: BGR, uint8, H x W x 3; perhaps of reduced size.
    width, height : int
        The full size in pixels, as a person sees the photo (EXIF orientation applied).
    name : str
        Where it came from, as it was named.
    seconds : float
        How long reading it took.
    file : bytes
        The file itself if not all of its pixels were decoded, so that more of them can be; else empty.
    """

    image: BGR
    width: int
    height: int
    name: str = ""
    seconds: float = 0.0
    file: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        check_image(self.image)

    @classmethod
    def from_image(cls, image: BGR, name: str = "") -> Photo:
        """Wrap pixels that are already decoded: BGR, uint8, H x W x 3."""
        check_image(image)
        return cls(image, image.shape[1], image.shape[0], name)

    @property
    def scale(self) -> npt.NDArray[np.float64]:
        """Full-size pixels to a pixel of `image`: ``[x, y]``, both 1 unless it was reduced."""
        return np.array([self.width / self.image.shape[1], self.height / self.image.shape[0]])


def check_image(image: BGR) -> None:
    """Check that an array is an image of this package's layout: BGR, uint8, H x W x 3.

    Raises
    ------
    ValueError
        If it is not.
    """
    if not isinstance(image, np.ndarray) or image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
        found = f"{image.dtype} of shape {image.shape}" if isinstance(image, np.ndarray) else type(image).__name__
        raise ValueError(f"found {found}; expected a BGR image, uint8, H x W x 3")
    if image.size == 0:
        raise ValueError(f"found an image of shape {image.shape}; expected at least one pixel")


def read_photo(source: Source, *, enough: int | None = None, name: str | None = None) -> Photo:
    """Read a photograph.

    Parameters
    ----------
    source : str, path, bytes or binary file
        Where the photo is.
    enough : int or None
        Pixels of the longer side that suffice. A larger JPEG is decoded at the least eighths of its size that are
        still enough (libjpeg's scaled decoding, which leaves out work instead of averaging afterwards). By default
        every pixel is decoded.
    name : str, optional
        What to call the photo, in place of its path.

    Returns
    -------
    Photo
        Upright, in BGR. Transparent pixels are white, deeper pixels are scaled to 8 bits.

    Raises
    ------
    PhotoError
        If there is no such file, or it is no photo, damaged, or too large to be taken in safely.
    """
    if name is None:
        name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else "photo"
    started = time.perf_counter()
    data = _read_bytes(source, name)
    # Before Pillow has its say: decoding lets other threads go on, which load the models; Pillow's imports do not.
    pixels = _decode_jpeg(data, enough) if data.startswith(_JPEG) else None
    form = _format_of(data, name)
    with _decoding(name):
        image = Image.open(io.BytesIO(data), formats=(form,))
    width, height = image.size
    if width * height > MAX_PIXELS:
        raise _too_many_pixels(name, f"{width} x {height}")
    with _decoding(name):
        if pixels is None:
            image.load()
        orientation = image.getexif().get(ExifTags.Base.Orientation, 1)
    if pixels is None:
        pixels = _to_bgr(image, name)
    pixels = _turn_upright(pixels, orientation)
    if orientation in _LYING:
        width, height = height, width
    left = data if pixels.shape[0] < height else b""
    return Photo(pixels, width, height, name, time.perf_counter() - started, left)


def _decode_jpeg(data: bytes, enough: int | None) -> BGR | None:
    """Decode a JPEG at the least part of its size that is enough, as it is stored; None if that needs Pillow's care."""
    import simplejpeg  # other formats do without

    try:
        height, width, colors, _ = simplejpeg.decode_jpeg_header(data)
        if colors not in ("YCbCr", "Gray") or width * height > MAX_PIXELS:
            return None
        share = 1.0 if enough is None else min(1.0, enough / max(height, width))
        least_height, least_width = (max(1, int(side * share)) for side in (height, width))
        pixels = simplejpeg.decode_jpeg(data, "BGR", min_height=least_height, min_width=least_width, min_factor=1)
        return np.asarray(pixels, np.uint8)
    except ValueError:
        # Whatever is odd about it: Pillow may still make an image of it, or tells what is wrong.
        return None


def _turn_upright(pixels: BGR, orientation: int) -> BGR:
    """Turn and mirror pixels, BGR, uint8, H x W x 3, as a photo's EXIF orientation asks for."""
    if orientation in _LYING:
        pixels = np.asarray(cv2.transpose(pixels), np.uint8)
    flip = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}.get(orientation)
    return pixels if flip is None else np.asarray(cv2.flip(pixels, flip), np.uint8)


def _read_bytes(source: Source, name: str) -> bytes:
    """Read a whole file, but never more than `MAX_BYTES`."""
    try:
        if isinstance(source, bytes):
            data = source
        elif isinstance(source, (str, os.PathLike)):
            with open(source, "rb") as file:
                data = file.read(MAX_BYTES + 1)
        else:
            data = source.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise PhotoError(f"{name}: there is no such file; expected a photo, check the path") from None
    except IsADirectoryError:
        raise PhotoError(f"{name}: is a folder; expected a photo, name the files in it") from None
    except PermissionError:
        raise PhotoError(f"{name}: may not be read; expected a readable file, check its permissions") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PhotoError(f"{name}: cannot be opened ({reason}); expected a photo, check the path") from None
    if not data:
        raise PhotoError(f"{name}: is empty; {_EXPECTED}, copy it again")
    if len(data) > MAX_BYTES:
        raise SizeError(
            f"{name}: is larger than {MAX_BYTES // 2**20} MiB; expected a photo below that, save it smaller"
        )
    return data


def _format_of(data: bytes, name: str) -> str:
    """Tell a file's format by its first bytes, and make its decoder known to Pillow."""
    box, brand = data[4:8], data[8:12]
    if box == b"ftyp" and brand in _HEIC_BRANDS:
        try:
            import pi_heif  # an extra, and only phones' photos need it
        except ImportError:
            raise FormatError(
                f"{name}: is a HEIC photo, which needs a decoder; install it by: pip install 'setml[heif]'"
            ) from None
        pi_heif.register_heif_opener()
        return "HEIF"
    if data[:4] == b"RIFF" and brand == b"WEBP":
        plugin = "WebP"
    elif box == b"ftyp" and brand in (b"avif", b"avis"):
        plugin = "Avif"
    else:
        plugin = next((plugin for signature, plugin in _SIGNATURES if data.startswith(signature)), "")
    if not plugin:
        raise FormatError(f"{name}: is {_kind_of(data)}; {_EXPECTED}, convert it")
    # Each plugin registers its format; Pillow's own search would import all forty.
    importlib.import_module(f"PIL.{plugin}ImagePlugin")
    return plugin.upper()


def _kind_of(data: bytes) -> str:
    """Name what is in a file that is no photo."""
    box = data[4:8]
    if data.startswith(b"GIF8"):
        return "a GIF"
    if data.startswith(b"%PDF"):
        return "a PDF"
    is_riff_video = data.startswith(b"RIFF") and data[8:12] == b"AVI "
    if box in (b"ftyp", b"moov", b"mdat", b"wide") or data.startswith(b"\x1aE\xdf\xa3") or is_riff_video:
        return "a video"
    return "not a photo"


@contextmanager
def _decoding(name: str) -> Iterator[None]:
    """Turn whatever a decoder raises into a `PhotoError` of one line."""
    try:
        with warnings.catch_warnings():
            # Odd metadata, and sizes between Pillow's limit and ours, are no reason to warn.
            warnings.simplefilter("ignore")
            yield
    except Image.DecompressionBombError:
        raise _too_many_pixels(name, "far too many") from None
    # A damaged file fails in a decoder in any of many ways; for its owner they are one.
    except Exception as error:
        fault = "is cut short" if "truncated" in str(error).lower() else "is damaged"
        raise PhotoError(f"{name}: {fault} and cannot be decoded; {_EXPECTED}, copy it again") from error


def _too_many_pixels(name: str, found: str) -> SizeError:
    return SizeError(f"{name}: has {found} pixels; expected at most {MAX_PIXELS // 10**6} million, save it smaller")


def _to_bgr(image: Image.Image, name: str) -> BGR:
    """Convert a Pillow image of any mode to BGR, uint8, H x W x 3."""
    if image.mode.startswith("I"):
        # 16 bits of grey, which 257 scales onto 8 bits exactly.
        grey = np.clip(np.asarray(image, np.float32) / 257, 0, 255).round().astype(np.uint8)
        return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)
    if image.mode == "F":
        raise PhotoError(f"{name}: has floating-point pixels; expected 8 or 16 bits a channel, convert it")
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba)
    # Converting copies even what is RGB already.
    rgb = np.asarray(image if image.mode == "RGB" else image.convert("RGB"))
    return np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), np.uint8)
