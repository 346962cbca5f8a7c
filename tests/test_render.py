from __future__ import annotations

import itertools

import numpy as np
import pytest

from setml import Solver, draw_sets, draw_table
from setml.render import SET_COLORS

# How the three kinds of dichromats see linear RGB (Machado, Oliveira and Fernandes 2009, severity 1).
DICHROMATS = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
INKS = ((205, 40, 45), (0, 150, 75), (85, 45, 140))


def lab(color: tuple[int, int, int], eye: str) -> np.ndarray:
    part = np.array(color) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(DICHROMATS[eye]) @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    x, y, z = (np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz / (0.9505, 1, 1.089))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eye", DICHROMATS)
def test_anyone_can_tell_the_colors_of_the_sets_apart(eye):
    for a, b in itertools.combinations(SET_COLORS, 2):
        assert np.linalg.norm(lab(a, eye) - lab(b, eye)) > 30


def test_the_colors_stand_against_the_inks():
    for color, ink in itertools.product(SET_COLORS, INKS):
        assert np.linalg.norm(lab(color, "normal") - lab(ink, "normal")) > 40


def colors_beyond(picture: np.ndarray, image: np.ndarray) -> set[int]:
    """Which colors of sets appear where the photo was changed."""
    changed = picture[: image.shape[0]][(picture[: image.shape[0]] != image).any(axis=2)]
    return {
        place for place, color in enumerate(SET_COLORS) if ((changed == np.array(color[::-1])).all(axis=1)).sum() > 200
    }


def test_each_set_has_its_color_and_the_photo_is_left_alone(table):
    solution = Solver().solve(table.image)
    before = table.image.copy()
    picture = draw_sets(table.image, solution)
    assert (table.image == before).all()
    assert len(solution.sets) == 3
    assert colors_beyond(picture, table.image) >= {0, 1, 2}
    assert picture.shape[1] == table.image.shape[1]
    assert picture.shape[0] > table.image.shape[0]


def test_rings_of_a_card_in_several_sets_grow_outward():
    table = draw_table(["1RSD", "2RSD", "3RSD", "1GSD", "1PSD"], seed=1, surface="dark")
    solution = Solver().solve(table.image)
    assert len(solution.sets) == 2
    shared = (set(solution.sets[0]) & set(solution.sets[1])).pop()
    picture = draw_sets(table.image, solution)
    corners = solution.cards[shared].corners
    middle, side = corners.mean(axis=0), (corners[1] + corners[2]) / 2
    way = (side - middle) / np.linalg.norm(side - middle)
    steps = [side + way * step for step in np.arange(0, 30, 0.5)]
    along = [tuple(picture[round(y), round(x)][::-1].tolist()) for x, y in steps]
    assert along.index(SET_COLORS[0]) < along.index(SET_COLORS[1])


def test_many_sets_are_shown_on_a_contact_sheet():
    table = draw_table(24, seed=6, surface="dark")
    solution = Solver().solve(table.image)
    assert len(solution.sets) > 8
    picture = draw_sets(table.image, solution)
    assert picture.shape[0] * picture.shape[1] > len(solution.sets) * 420 * 300
    assert picture.shape[2] == 3


@pytest.mark.parametrize("cards", [0, 1])
def test_a_photo_without_sets_says_so(cards):
    table = draw_table(cards, seed=2, surface="dark")
    picture = draw_sets(table.image, Solver().solve(table.image))
    assert (picture[: table.image.shape[0]] == table.image).all()
    assert picture[table.image.shape[0] :].max() > 200
