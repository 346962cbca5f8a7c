"""Where crops and photographs of tables are, by split."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from setml.classifiers.views import WORKING_SIZE
from setml.datasets.crops import LabelledCrops, list_crops, read_crops
from setml.datasets.truth import Truth, read_truth
from setml.extractors.rectify import CROP_SIZES

#: Crops are trained on at this share of an extractor's size.
SCALE: Final = WORKING_SIZE[0] / CROP_SIZES["card"][0]


def labelled(
    root: Path | None, split: str, size: tuple[int, int] = WORKING_SIZE, most: int | None = None
) -> tuple[list[LabelledCrops], list[Truth]]:
    """Read the single crops of a split, by source, and list its photographs of tables; without a root neither.

    Of each source at most `most` crops are read, if so many are said, evenly from all of it.
    """
    if root is None:
        return [], []
    folder = root / "crops" if (root / "crops").is_dir() else root
    files = []
    if folder != root or not (root / "tables").is_dir():
        files = [file for file in list_crops(folder) if file.split == split]
    crops = []
    for source in sorted({file.source for file in files}):
        own = [file for file in files if file.source == source]
        crops.append(read_crops(own[:: -(-len(own) // most) if most else 1], size))
    tables = root / "tables"
    truths = [truth for truth in read_truth(tables) if truth.split == split] if tables.is_dir() else []
    return crops, truths
