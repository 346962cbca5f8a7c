"""The processor's cores, among which the work on one photo is shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Final, TypeVar

import cv2

T = TypeVar("T")

#: More cores than this gain nothing on a dozen cards.
MOST: Final = 4
#: Fewer cards than this are not worth a core of their own.
LEAST_PART: Final = 3

_OTHERS: Final = ThreadPoolExecutor(MOST - 1, thread_name_prefix="cores")


def cores() -> int:
    """Tell how many cores one photo may take: as many as OpenCV has threads, which is one where many are solved."""
    return max(1, min(MOST, cv2.getNumThreads()))


@contextmanager
def one_core() -> Iterator[None]:
    """Work on one core alone while this is open, as each of several processes does."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


def share(work: Callable[[slice], T], count: int) -> list[T]:
    """Do work on so many things in parts, each part on a core of its own.

    Parameters
    ----------
    work : callable
        Is given which things to work on. OpenCV and onnxruntime let other threads go on meanwhile.
    count : int
        How many things there are.

    Returns
    -------
    list
        What it returned of each part, in order; at least one.

    Examples
    --------
    >>> sum(share(lambda part: list(range(20))[part], 20), [])[-3:]
    [17, 18, 19]
    """
    parts = max(1, min(cores(), count // LEAST_PART))
    bounds = [count * part // parts for part in range(parts + 1)]
    slices = [slice(low, high) for low, high in pairwise(bounds)]
    others = [_OTHERS.submit(work, part) for part in slices[1:]]
    return [work(slices[0]), *(other.result() for other in others)]
