"""Cards of one photo lie nearly in one plane at one size: what is far larger or smaller than the others is no card."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from setml.extractors.quads import areas_of

Floats = npt.NDArray[np.floating]

#: By how much the sizes of cards differ from what the plane has them, as the spread of Student's t with three degrees
#: of freedom, in logarithms of length: hands hold some nearer, corners are off.
SPREAD: Final = 0.05
#: What is no card may have any size within this range, in logarithms of length.
RANGE: Final = 1.5
#: However odd its size, what looks like a card is not taken to be less likely one by more than this.
LEAST_RATIO: Final = 0.02
#: Fewer others than this tell no plane.
LEAST_OTHERS: Final = 5
ROUNDS: Final = 6


def judge_sizes(corners: Floats, likely: Floats) -> Floats:
    """Tell by how much less likely each is a card for being of another size than the plane of the others has it.

    Over the photo of a plane the third root of a card's area falls off linearly, as one over its distance does; each
    card is compared with what a robust fit to all others says, in which weights of Student's t take turns with least
    squares (Lange, Little and Taylor, "Robust statistical modeling using the t distribution", 1989).

    Parameters
    ----------
    corners : ndarray, (n, 4, 2)
        In pixels.
    likely : ndarray, (n,)
        How likely each is a card by itself.

    Returns
    -------
    ndarray, float, (n,)
        What to multiply the odds with: 1 for what fits, less for what does not; 1 for all where they are too few.

    Examples
    --------
    >>> row = np.array([[[x, 0], [x + 10, 0], [x + 10, 16], [x, 16]] for x in range(0, 140, 20)], float)
    >>> row[3] = (row[3] - [60, 0]) * 0.5 + [60, 0]
    >>> judge_sizes(row, np.ones(7)).round(2).tolist()
    [1.0, 1.0, 1.0, 0.02, 1.0, 1.0, 1.0]
    """
    count = len(corners)
    if count <= LEAST_OTHERS:
        return np.ones(count)
    sizes = np.maximum(areas_of(corners), 1e-9) ** (1 / 3)
    middles = corners.mean(axis=1)
    places = np.hstack([np.ones((count, 1)), (middles - middles.mean(axis=0)) / max(float(np.ptp(middles)), 1e-9)])
    # (n, n): of each card's fit, how much each other counts.
    trust = np.where(np.eye(count, dtype=bool), 0, np.maximum(likely, 1e-3))
    weights = trust
    # Cards in one row tell no slope across it: none is taken.
    level = np.diag([0, 0.001, 0.001])
    said = np.full((count, count), np.quantile(sizes, 0.5))
    off = np.zeros((count, count))
    for _ in range(ROUNDS):
        # Relative to the size: weights by its square.
        relative = weights / said**2
        relative = relative / relative.sum(axis=1, keepdims=True)
        normal = np.einsum("ij,jk,jl->ikl", relative, places, places) + level
        plane = np.linalg.solve(normal, np.einsum("ij,jk,j->ik", relative, places, sizes)[..., None])[..., 0]
        said = np.maximum(plane @ places.T, 1e-3 * sizes.max())
        off = 1.5 * np.log(sizes / said)
        weights = trust / (1 + off**2 / (3 * SPREAD**2))
    own = off.diagonal()
    density = 2 / (np.pi * np.sqrt(3) * SPREAD) / (1 + own**2 / (3 * SPREAD**2)) ** 2
    return np.asarray(np.clip(density * RANGE, LEAST_RATIO, 1))
