"""What is learned from, and what chooses: the crops of split `train`, drawn ones, and those of split `val`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from setml.classifiers import LEARNED
from setml.datasets.crops import LabelledCrops, cut_crops
from setml.datasets.decoys import draw_negatives
from setml.datasets.drawn import draw_crops
from setml.datasets.negatives import cut_negatives
from setml.datasets.truth import Truth
from setml.training.mining import mine_negatives
from setml.training.scenes import Scenes
from setml.training.sources import SCALE, labelled

#: How large a share of an epoch each kind of crop has; a kind that is missing leaves its share to the others.
SHARES: Final = {"crops": 0.3, "loose crops": 0.12, "tables": 0.26, "drawn": 0.18, "not a card": 0.1, "mistaken": 0.05}

# One source with more crops than this is one deck under one hand many times over.
_MANY: Final = 1000
# In a trial, no more of it are read than these.
_QUICK: Final = 3000


@dataclass(frozen=True)
class Plan:
    """What to train, from what, and where to.

    Attributes
    ----------
    root : Path or None
        The labelled crops and tables; None for drawn crops alone.
    output : Path
        A folder for the exported models, one folder a method.
    work : Path
        A folder for checkpoints and caches, from which a run that was stopped goes on.
    methods : sequence of str
        Of :data:`setml.classifiers.LEARNED`.
    quick : bool
        A trial in a few minutes.
    seed : int
        The same seed gives the same models, to within the rounding of sums in another order.
    jobs : int
        Processes at a time.
    """

    root: Path | None
    output: Path
    work: Path
    methods: Sequence[str] = LEARNED
    quick: bool = False
    seed: int = 0
    jobs: int = 2


@dataclass(frozen=True, eq=False)
class TrainingData:
    """All that training needs.

    Attributes
    ----------
    train : LabelledCrops
        Crops of the working size to learn from, cards and others.
    kinds : ndarray of str, (n,)
        Of each, a key of :data:`SHARES`.
    val : LabelledCrops
        What early stopping and the choice between models go by; drawn ones where there are no photographs.
    """

    train: LabelledCrops
    kinds: npt.NDArray[np.str_]
    val: LabelledCrops

    def draw_epoch(self, size: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
        """Choose the crops of one epoch: places in `train`, by the shares of the kinds, in order of chance."""
        shares = {kind: SHARES[kind] for kind in sorted(set(self.kinds.tolist()))}
        total = sum(shares.values())
        chosen = []
        for kind, share in shares.items():
            places = np.flatnonzero(self.kinds == kind)
            count = round(size * share / total)
            # Each once before any twice.
            rounds = [rng.permutation(places) for _ in range(-(-count // len(places)))]
            chosen.append(np.concatenate(rounds)[:count])
        return rng.permutation(np.concatenate(chosen))


def gather(root: Path | None, *, quick: bool = False, seed: int = 0) -> TrainingData:
    """Gather crops.

    Parameters
    ----------
    root : Path or None
        A folder with ``crops/`` and ``tables/`` of photographs, or with crops of one's own; None for drawn
        crops alone.
    quick : bool
        A fifth of it, for a trial.
    seed : int
        Of drawing and of cutting.
    """
    crops, tables = labelled(root, "train", most=_QUICK if quick else None)
    parts = list(_real(crops, tables, 2 if quick else 8, seed))
    copies = (10 if quick else 50) if root else (12 if quick else 150)
    drawn = draw_crops(copies, seed, SCALE)
    negatives = draw_negatives(min(len(drawn), 4000), seed, SCALE)
    parts += [("drawn", drawn), ("not a card", negatives)]
    if root:
        parts.append(("mistaken", mine_negatives(Scenes(crops, tables, seed), 40 if quick else 300, seed)))
    train = LabelledCrops.join([part for _, part in parts])
    kinds = np.concatenate([np.full(len(part), kind, np.dtype("U16")) for kind, part in parts])
    val = _val(root, seed)
    # Every fourth, since every third of a deck in order would be of one value.
    return TrainingData(train, kinds, val.take(np.arange(0, len(val), 4)) if quick else val)


def _real(
    crops: Sequence[LabelledCrops], tables: Sequence[Truth], copies: int, seed: int
) -> Iterator[tuple[str, LabelledCrops]]:
    """Say of what kind crops are, and cut the tables."""
    for part in crops:
        yield ("crops" if len(part) > _MANY else "loose crops"), part
    if tables:
        yield "tables", cut_crops(tables, SCALE, copies, jitter=0.02, seed=seed)
        yield "not a card", cut_negatives(tables, SCALE, 2 * copies, seed)


def _val(root: Path | None, seed: int) -> LabelledCrops:
    crops, tables = labelled(root, "val")
    if not crops and not tables:
        return LabelledCrops.join([draw_crops(5, seed + 1, SCALE), draw_negatives(100, seed + 1, SCALE)])
    parts = list(crops)
    if tables:
        parts += [cut_crops(tables, SCALE), cut_negatives(tables, SCALE, 4, seed)]
    return LabelledCrops.join(parts)
