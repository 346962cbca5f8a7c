"""Every classifier on the same crops, cut by their true corners."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd

from setml.cards import ATTRIBUTES, VALUES
from setml.classifiers import Classifier
from setml.datasets.crops import LabelledCrops

#: So many crops are read at a time, as those of one table are.
BATCH: Final = 12


def read_all(classifiers: Mapping[str, Classifier], crops: LabelledCrops) -> pd.DataFrame:
    """Let every classifier read every crop.

    Parameters
    ----------
    classifiers : mapping of str to Classifier
        By name.
    crops : LabelledCrops
        Cards, and what is none.

    Returns
    -------
    DataFrame
        A row for each classifier and crop: ``classifier``, ``crop`` (its place), ``source``, ``split``, ``edition``,
        ``photo``, ``path``; ``is card`` and, as a probability, ``card said``; for each attribute its true value,
        the one ``said`` and its probability ``p``; for whole cards ``right`` and ``confidence``; ``seconds``, by
        crop, of its batch.
    """
    frames = []
    for name, classifier in classifiers.items():
        # What is loaded at first use is no part of reading.
        classifier.read(crops.images[:BATCH])
        values, is_card, seconds = [], [], []
        for start in range(0, len(crops), BATCH):
            batch = crops.images[start : start + BATCH]
            started = time.perf_counter()
            readings = classifier.read(batch)
            seconds += [(time.perf_counter() - started) / len(batch)] * len(batch)
            values.append(readings.values)
            is_card.append(readings.is_card)
        frames.append(_frame(name, crops, np.concatenate(values), np.concatenate(is_card), seconds))
    return pd.concat(frames, ignore_index=True)


def _frame(
    name: str, crops: LabelledCrops, values: np.ndarray, is_card: np.ndarray, seconds: list[float]
) -> pd.DataFrame:
    places = values.argmax(axis=2)
    columns: dict[str, object] = {
        "classifier": name,
        "crop": np.arange(len(crops)),
        "source": crops.sources,
        "split": crops.splits,
        "edition": crops.editions,
        "photo": crops.photos,
        "path": crops.paths,
        "is card": crops.is_card,
        "card said": is_card,
    }
    for place, attribute in enumerate(ATTRIBUTES):
        named = np.array([*map(str, VALUES[attribute]), "none"])
        columns[attribute] = named[crops.values[:, place]]
        columns[f"{attribute} said"] = named[places[:, place]]
        columns[f"{attribute} p"] = values[:, place].max(axis=1)
    columns["right"] = (places == crops.values).all(axis=1)
    columns["confidence"] = values.max(axis=2).prod(axis=1)
    columns["seconds"] = seconds
    return pd.DataFrame(columns)


def summarize_crops(rows: pd.DataFrame, by: str = "split") -> pd.DataFrame:
    """Add up the rows of :func:`read_all` by classifier and `by`.

    Returns
    -------
    DataFrame
        A row for each: how many ``cards``; the percentage right of whole cards, with the 95 % interval, and of
        each attribute; ``not a card``, the percentage of what is none that was told so, and ``missed``, of cards
        that were said to be none; ``calibration``, the expected calibration error of the confidence in percent;
        ``ms``, milliseconds for twelve crops.
    """
    table = []
    for (classifier, key), group in rows.groupby(["classifier", by], sort=False):
        cards, others = group[group["is card"]], group[~group["is card"]]
        if not len(cards):
            continue
        low, high = interval(cards, "right")
        table.append(
            {
                "classifier": classifier,
                by: key,
                "cards": len(cards),
                "whole": 100 * cards["right"].mean(),
                "95 %": f"{100 * low:.2f}-{100 * high:.2f}",
                **{name: 100 * (cards[name] == cards[f"{name} said"]).mean() for name in ATTRIBUTES},
                "not a card": 100 * (others["card said"] < 0.5).mean() if len(others) else np.nan,
                "missed": 100 * (cards["card said"] < 0.5).mean(),
                "calibration": 100 * calibration_error(cards["confidence"], cards["right"]),
                "ms": 12_000 * cards["seconds"].median(),
            }
        )
    return pd.DataFrame(table).sort_values([by], kind="stable", ignore_index=True)


def interval(rows: pd.DataFrame, value: str, weight: str | None = None, draws: int = 2000) -> tuple[float, float]:
    """Estimate how far a mean would vary with other photographs: the percentile bootstrap of Efron (1979).

    Parameters
    ----------
    rows : DataFrame
        One for each observation, with the photograph it is of in ``photo``; those of one photograph go together.
    value : str
        The column whose mean is meant, or sum if there is a `weight`.
    weight : str, optional
        The column by whose sum that of `value` is divided.
    draws : int
        How often photographs are drawn anew.

    Returns
    -------
    (float, float)
        Between which 95 % of the means lie.
    """
    groups = rows.assign(_weight=1.0 if weight is None else rows[weight]).groupby("photo")
    sums = groups[[value, "_weight"]].sum().to_numpy(float)
    drawn = np.random.default_rng(0).integers(len(sums), size=(draws, len(sums)))
    totals = sums[drawn].sum(axis=1)
    low, high = np.quantile(totals[:, 0] / np.maximum(totals[:, 1], 1e-9), (0.025, 0.975))
    return float(low), float(high)


def calibration_error(confidence: pd.Series[float], right: pd.Series[bool], bins: int = 15) -> float:
    """Tell by how much confidence and accuracy differ: the expected calibration error of Naeini et al. (2015).

    Parameters
    ----------
    confidence : Series, (n,)
        0 to 1.
    right : Series of bool, (n,)
        Which answers were right.
    bins : int
        Of equal width.

    Returns
    -------
    float
        The mean difference, weighted by how many answers lie in each bin; 0 is perfect.
    """
    which = np.minimum((confidence.to_numpy(float) * bins).astype(int), bins - 1)
    off = np.bincount(which, right.to_numpy(float) - confidence.to_numpy(float), bins)
    return float(np.abs(off).sum() / max(len(which), 1))
