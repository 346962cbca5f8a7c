"""Bad inputs: one clear line for each, the right status, and the good photos beside them still solved."""

from __future__ import annotations

import json
import os
import re

import pytest
from PIL import Image

from tests.test_cli import ROOT, SAMPLE, run
from tests.test_photo import encode, png_of_size

JPEG = SAMPLE.read_bytes()
PICTURE = Image.new("RGB", (600, 400), (90, 120, 60))
for _x in range(0, 600, 3):
    PICTURE.putpixel((_x, _x % 400), (250, _x % 256, 10))

# Name, bytes, and what the line must say.
BAD_FILES = [
    ("empty.jpg", b"", "is empty"),
    ("text.jpg", b"these are no pixels\n", "not a photo"),
    ("zeros.jpg", bytes(5000), "not a photo"),
    ("noise.png", os.urandom(5000), "not a photo"),
    ("page.html.jpg", b"<!doctype html><html></html>", "not a photo"),
    ("paper.pdf.jpg", b"%PDF-1.7\n%...", "is a PDF"),
    ("moving.gif", encode(Image.new("P", (30, 30)), "GIF"), "is a GIF"),
    ("film.mp4", b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41" + bytes(99), "is a video"),
    ("film.mov", b"\0\0\0\x14ftypqt  \0\0\2\0qt  " + bytes(99), "is a video"),
    ("film.webm", b"\x1aE\xdf\xa3" + bytes(99), "is a video"),
    ("film.avi", b"RIFF\x40\0\0\0AVI LIST" + bytes(99), "is a video"),
    ("head.jpg", JPEG[:2], "not a photo"),
    ("cut.jpg", JPEG[: len(JPEG) // 2], "cut short"),
    ("header.jpg", JPEG[:200], "cut short|damaged|not a photo"),
    ("cut.png", encode(PICTURE, "PNG")[:700], "cut short|damaged"),
    ("cut.webp", encode(PICTURE, "WEBP")[:90], "cut short|damaged|not a photo"),
    ("cut.bmp", encode(PICTURE, "BMP")[:1000], "cut short|damaged"),
    ("cut.tif", encode(PICTURE, "TIFF")[:-2000], "cut short|damaged|not a photo"),
    ("cut.avif", encode(PICTURE, "AVIF")[:60], "cut short|damaged|not a photo"),
    ("cut.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "cut short|damaged|not a photo|heif"),
    ("broken.png", encode(PICTURE, "PNG").replace(b"IDAT", b"IDAX", 1), "damaged"),
    ("bomb.png", png_of_size(30000, 30000), "at most 120 million"),
    ("bomb-small.png", png_of_size(12000, 12000), "at most 120 million"),
    ("float.tif", encode(Image.new("F", (20, 20)), "TIFF"), "floating-point"),
]


@pytest.mark.parametrize(("name", "data", "message"), BAD_FILES, ids=[name for name, _, _ in BAD_FILES])
def test_a_bad_file_gets_one_line_and_the_next_photo_is_solved(name, data, message, tmp_path):
    (tmp_path / name).write_bytes(data)
    result = run("solve", name, SAMPLE, cwd=tmp_path)
    assert result.returncode == 1
    assert re.fullmatch(rf"setml: {re.escape(name)}: .*({message}).*\n", result.stderr)
    assert "expected" in result.stderr or "install" in result.stderr
    assert "12 cards, 3 sets" in result.stdout


def test_bad_places_get_one_line_each_and_the_others_are_solved(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop.jpg").symlink_to("loop.jpg")
    bad = ["missing.jpg", "folder", "nothing-*.jpg", "loop.jpg", "a" * 300 + ".jpg", f"{SAMPLE.name}/in-a-file.jpg"]
    result = run("solve", "--json", *bad, SAMPLE, "--jobs", 2, cwd=tmp_path)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.returncode == 1
    assert result.stderr == ""
    assert [answer["image"] for answer in answers[:-1]] == bad
    for answer in answers[:-1]:
        assert list(answer) == ["image", "error"]
        assert "expected" in answer["error"]
        assert "\n" not in answer["error"]
    assert len(answers[-1]["cards"]) == 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve"], "Missing argument"),
        (["solve", SAMPLE, "--jobs", "0"], "--jobs"),
        (["solve", SAMPLE, "--method", "luck"], "--method"),
        (["solve", SAMPLE, "--extractor", "luck"], "expected one of contours, finder"),
        (["solve", SAMPLE, "--classifier", "luck"], "expected one of cnn, cnn-drawn, heuristics"),
        (["solve", SAMPLE, "--colour"], "No such option"),
        (["solve", SAMPLE, SAMPLE, "-o", "one.jpg"], "name a folder"),
        (["solve", SAMPLE, "-o", "sets.docx"], "no kind of picture"),
        (["sovle", SAMPLE], "No such command"),
        (["eval", "no-such-folder"], "does not exist"),
        (["eval", ROOT / "tests"], "labels.json"),
        (["eval", ROOT / "data" / "samples", "--split", "luck"], "nothing of split luck"),
        (["data", "draw", "t", "--cards", "82"], "--cards"),
    ],
)
def test_misuse_is_one_line_and_status_2(arguments, message, tmp_path):
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_picture_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("in the way")
    result = run("solve", SAMPLE, "-o", "file/sets.jpg", cwd=tmp_path)
    assert result.returncode == 1
    assert re.fullmatch(r"setml: file/sets\.jpg: cannot be written \(.*\n", result.stderr)
