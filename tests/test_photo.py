from __future__ import annotations

import io
import struct
import sys
import zlib

import cv2
import numpy as np
import pytest
from PIL import Image

from setml import PhotoError, read_photo
from setml.photo import MAX_BYTES, MAX_PIXELS

RED = (220, 30, 40)


def encode(image: Image.Image, form: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def picture() -> Image.Image:
    """White, with a red upper left quarter."""
    image = Image.new("RGB", (64, 40), "white")
    image.paste(RED, (0, 0, 32, 20))
    return image


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("JPEG", {"quality": 95}),
        ("JPEG", {"quality": 95, "progressive": True}),
        ("PNG", {}),
        ("WEBP", {"lossless": True}),
        ("BMP", {}),
        ("TIFF", {}),
        ("AVIF", {"quality": 95}),
    ],
)
def test_formats(picture, form, options):
    image = read_photo(encode(picture, form, **options)).image
    assert image.shape == (40, 64, 3)
    assert np.abs(image[8, 8].astype(int) - RED[::-1]).max() < 12
    assert image[30, 50].min() > 245


@pytest.mark.parametrize("mode", ["L", "P", "1", "CMYK", "RGBA", "LA"])
def test_modes(picture, mode):
    form = "JPEG" if mode == "CMYK" else "PNG"
    image = read_photo(encode(picture.convert(mode), form)).image
    assert image[30, 50].min() > 245
    assert image[8, 8].min() < 180


def test_transparent_pixels_are_white(picture):
    picture = picture.convert("RGBA")
    picture.putalpha(0)
    assert read_photo(encode(picture, "PNG")).image.min() == 255


def test_sixteen_bits_are_scaled():
    deep = Image.fromarray(np.full((4, 5), 257 * 90, np.uint16))
    assert (read_photo(encode(deep, "PNG")).image == 90).all()


def test_a_damaged_heic_is_told():
    pytest.importorskip("pi_heif")
    with pytest.raises(PhotoError, match=r"cut short|damaged|not a photo"):
        read_photo(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic")


def test_heic_without_its_extra_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pi_heif", None)
    with pytest.raises(PhotoError, match=r"pip install 'setml\[heif\]'"):
        read_photo(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic")


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_is_applied(picture, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    photo = read_photo(encode(picture, "JPEG", exif=exif, quality=95))
    turned = orientation >= 5
    assert (photo.width, photo.height) == ((40, 64) if turned else (64, 40))
    assert photo.image.shape[:2] == (photo.height, photo.width)
    # Where the red quarter of the stored pixels goes: right for 2, 3, 6, 7, below for 3, 4, 7, 8.
    column = -5 if orientation in (2, 3, 6, 7) else 5
    row = -5 if orientation in (3, 4, 7, 8) else 5
    assert photo.image[row, column, 1] < 100
    assert photo.image[-row, -column, 1] > 200


def test_large_jpegs_are_decoded_reduced_but_measured_in_full():
    large = encode(Image.new("RGB", (4000, 3000), "white"), "JPEG")
    photo = read_photo(large, enough=1500)
    assert (photo.width, photo.height) == (4000, 3000)
    assert photo.image.shape == (1125, 1500, 3)
    assert photo.scale == pytest.approx([8 / 3, 8 / 3])
    assert photo.file == large
    whole = read_photo(large)
    assert whole.image.shape == (3000, 4000, 3)
    assert not whole.file


def test_sources(picture, tmp_path):
    path = tmp_path / "a.png"
    picture.save(path)
    expected = read_photo(path).image
    for source in (str(path), path.read_bytes(), io.BytesIO(path.read_bytes())):
        assert (read_photo(source).image == expected).all()
    assert (expected == cv2.imread(str(path))).all()


def png_of_size(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [int(MAX_PIXELS**0.5) + 1, 14000, 60000])
def test_a_bomb_is_refused_before_it_is_decoded(side):
    with pytest.raises(PhotoError, match="expected at most 120 million"):
        read_photo(png_of_size(side, side))


def test_a_huge_file_is_refused(tmp_path):
    path = tmp_path / "huge.jpg"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(PhotoError, match=r"larger than 128 MiB"):
        read_photo(path)


def test_floating_point_pixels_are_refused():
    with pytest.raises(PhotoError, match="floating-point"):
        read_photo(encode(Image.new("F", (8, 8)), "TIFF"))
