from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setml.datasets.tables import SURFACES, draw_table
from setml.extractors import EXTRACTORS, order_corners, reading_order, rectify
from setml.extractors.quads import overlap

RECTANGLE = np.array([[0, 0], [40, 0], [40, 62], [0, 62]], float)


@given(
    st.permutations(range(4)),
    st.floats(0, 2 * np.pi),
    st.tuples(st.floats(-500, 500), st.floats(-500, 500)),
)
def test_corners_are_ordered_clockwise_from_a_short_edge(order, turn, shift):
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = order_corners((RECTANGLE @ rotation.T + shift)[list(order)])
    edges = np.roll(corners, -1, axis=0) - corners
    assert np.allclose(np.linalg.norm(edges, axis=1), [40, 62, 40, 62], atol=0.01)
    assert (np.cross(np.c_[edges, np.zeros(4)], np.c_[np.roll(edges, -1, axis=0), np.zeros(4)])[:, 2] > 0).all()
    assert corners[:2, 1].mean() <= corners[2:, 1].mean() + 0.01


def test_reading_order_goes_by_rows():
    lower, upper = RECTANGLE + np.array([0, 100]), RECTANGLE + np.array([60, 8])
    assert reading_order(np.stack([lower, upper, RECTANGLE])).tolist() == [2, 1, 0]


def test_fine_stripes_become_a_tint_and_not_moire():
    image = np.zeros((1560, 1000, 3), np.uint8)
    image[:, ::3] = 255
    crop = rectify(image, np.array([[0, 0], [1000, 0], [1000, 1555], [0, 1555]]))
    assert crop.shape == (280, 180, 3)
    inner = crop[20:-20, 20:-20]
    assert inner.std() < 12
    assert abs(inner.mean() - 85) < 3


def test_crops_have_the_form_that_is_asked_for():
    image = np.full((100, 100, 3), 200, np.uint8)
    assert rectify(image, RECTANGLE, "square").shape == (224, 224, 3)
    assert rectify(image, RECTANGLE, scale=0.5).shape == (140, 90, 3)


def test_outside_the_photo_is_paper():
    image = np.full((60, 60, 3), 210, np.uint8)
    image[:5] = 0
    crop = rectify(image, RECTANGLE - (0, 20))
    assert (crop[:60] == 210).all()


@pytest.mark.parametrize("name", ["contours", "finder"])
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("edition", ["classic", "rectangle"])
def test_all_cards_of_a_drawn_table_are_found(name, surface, edition):
    table = draw_table(9, seed=21, surface=surface, edition=edition)
    found = EXTRACTORS[name]().extract(table.image)
    assert len(found) == 9
    nearest = np.abs(found.corners.mean(axis=1)[:, None] - table.corners.mean(axis=1)[None]).sum(axis=2).argmin(axis=1)
    assert sorted(nearest) == list(range(9))
    assert all(overlap(quad, true) > 0.85 for quad, true in zip(found.corners, table.corners[nearest], strict=True))


@pytest.mark.parametrize("name", EXTRACTORS)
def test_nothing_is_found_where_there_is_nothing(name):
    extractor = EXTRACTORS[name]()
    bare = draw_table(0, seed=1, surface="wood").image
    for image in (np.zeros((300, 400, 3), np.uint8), bare, np.full((9, 1, 3), 255, np.uint8)):
        assert len(extractor.extract(image)) == 0


@pytest.mark.parametrize("name", EXTRACTORS)
@pytest.mark.parametrize("image", [None, np.zeros((5, 5)), np.zeros((5, 5, 4), np.uint8), np.zeros((5, 5, 3))])
def test_what_is_no_image_is_refused(name, image):
    with pytest.raises(ValueError, match="expected a BGR image"):
        EXTRACTORS[name]().extract(image)
