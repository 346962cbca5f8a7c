"""Every extractor with every classifier on the same labelled photographs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from joblib import Parallel, delayed

from setml.cores import one_core
from setml.datasets.truth import Truth
from setml.evaluation.crops import calibration_error, interval
from setml.evaluation.measures import Score, judge, score
from setml.photo import PhotoError
from setml.solver import Solver


def compare(
    truths: Sequence[Truth],
    extractors: Sequence[str],
    classifiers: Sequence[str],
    jobs: int = 1,
    *,
    alone: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Solve every photograph by every one of some extractors with every one of some classifiers.

    Parameters
    ----------
    truths : sequence of Truth
        The photographs.
    extractors, classifiers : sequence of str
        Names of :data:`setml.extractors.EXTRACTORS` and of :data:`setml.classifiers.CLASSIFIERS`.
    jobs : int
        Photographs at a time.
    alone : bool
        Also read the cards of each photograph each for itself; the classifier is then named "..., each alone".

    Returns
    -------
    photos : DataFrame
        A row for each photograph, extractor and classifier: its names, the counts of
        :class:`~setml.evaluation.measures.Score`, and the seconds by stage.
    cards : DataFrame
        A row for each card that was reported: the same names, and :class:`~setml.evaluation.measures.Told`.
    """
    done = Parallel(n_jobs=jobs)(delayed(_rows)(truth, extractors, classifiers, alone) for truth in truths)
    photos, cards = zip(*done, strict=True)
    return (
        pd.DataFrame(list(itertools.chain.from_iterable(photos))),
        pd.DataFrame(list(itertools.chain.from_iterable(cards))),
    )


@cache
def _solver(extractor: str, classifier: str, together: bool = True) -> Solver:
    """Make a solver once in each process; it loads its models."""
    return Solver(extractor, classifier, together=together)


@one_core()
def _rows(
    truth: Truth, extractors: Sequence[str], classifiers: Sequence[str], alone: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Solve one photograph in all ways, on one core; cards are found once for all classifiers."""
    photos, cards = [], []
    for extractor in extractors:
        try:
            found = _solver(extractor, classifiers[0]).find(truth.path)
        except PhotoError:
            found = None
        for classifier, together in itertools.product(classifiers, (True, False) if alone else (True,)):
            solution = None if found is None else _solver(extractor, classifier, together).read(*found)
            way = {
                "photo": truth.name,
                "source": truth.source,
                "split": truth.split,
                "edition": truth.edition,
                "extractor": extractor,
                "classifier": classifier if together else f"{classifier}, each alone",
            }
            row = {**way, **asdict(score(truth, solution))}
            if solution is not None:
                row |= {f"{stage} s": seconds for stage, seconds in solution.seconds.items()}
                cards += [{**way, **asdict(told)} for told in judge(truth, solution)]
            photos.append(row)
    return photos, cards


def summarize(rows: pd.DataFrame, by: str = "split") -> pd.DataFrame:
    """Add up the photographs of :func:`compare` by extractor, classifier and `by`, as percentages.

    Returns
    -------
    DataFrame
        A row for each; ``95 %`` is the interval of ``boards``, ``seconds`` the median of a photograph, decoding
        included, on one core.
    """
    names = [field.name for field in fields(Score)]
    table = []
    for key, group in rows.groupby(["extractor", "classifier", by], sort=False):
        totals: dict[str, Any] = {name: group[name].sum() for name in names}
        counts = Score(**totals)
        low, high = interval(group, "boards")
        table.append(
            {
                **dict(zip(("extractor", "classifier", by), key, strict=True)),
                **counts.figures(),
                "95 %": f"{100 * low:.1f}-{100 * high:.1f}",
                "ms to find": 1000 * group["extract s"].median(),
                "seconds": group["total s"].median(),
            }
        )
    return pd.DataFrame(table).sort_values([by], kind="stable", ignore_index=True)


def summarize_certainty(cards: pd.DataFrame, by: str = "split") -> pd.DataFrame:
    """Say how sure the cards that :func:`compare` reports are, and whether rightly, as percentages.

    Returns
    -------
    DataFrame
        A row for each extractor, classifier and `by`: ``reported`` cards; how many of them are ``certain``, and of
        those ``right``; ``wrong`` counts the others; ``calibration`` is the expected calibration error of all;
        ``slope`` and ``offset`` are what :func:`fit_confidence` would still correct.
    """
    table = []
    for key, group in cards.groupby(["extractor", "classifier", by], sort=False):
        certain = group[group["certain"]]
        slope, offset = fit_confidence(group)
        table.append(
            {
                **dict(zip(("extractor", "classifier", by), key, strict=True)),
                "reported": len(group),
                "certain": 100 * group["certain"].mean(),
                "right": 100 * certain["right"].mean() if len(certain) else float("nan"),
                "wrong": int((~certain["right"]).sum()),
                "calibration": 100 * calibration_error(group["confidence"], group["right"]),
                "slope": slope,
                "offset": offset,
            }
        )
    return pd.DataFrame(table).sort_values([by], kind="stable", ignore_index=True)


def fit_confidence(cards: pd.DataFrame, prior: float = 1.0) -> tuple[float, float]:
    """Find the correction that makes the confidence of reported cards mean what it says.

    Platt, "Probabilistic outputs for support vector machines and comparisons to regularized likelihood methods", 1999,
    on the logarithm of the odds.

    Parameters
    ----------
    cards : DataFrame
        As :func:`compare` returns it, of one extractor and classifier.
    prior : float
        How strongly the slope is drawn towards 1 and the offset towards 0.

    Returns
    -------
    (float, float)
        Slope and offset of the odds' logarithm; 1 and 0 where nothing is to be corrected.

    Examples
    --------
    >>> cards = pd.DataFrame({"confidence": [0.9] * 1000, "right": [True] * 900 + [False] * 100})
    >>> [round(number, 2) for number in fit_confidence(cards)]
    [1.0, 0.0]
    """
    confidence = cards["confidence"].to_numpy(float).clip(1e-6, 1 - 1e-6)
    odds = np.stack([np.log(confidence / (1 - confidence)), np.ones(len(cards))], axis=1)
    right = cards["right"].to_numpy(float)
    start = np.array([1.0, 0.0])

    def cost(numbers: npt.NDArray[np.float64]) -> float:
        surprise = np.logaddexp(0, np.where(right > 0, -1, 1) * (odds @ numbers)).sum()
        return float(surprise + prior / 2 * ((numbers - start) ** 2).sum())

    chosen = start
    for _ in range(50):
        said = 1 / (1 + np.exp(-np.clip(odds @ chosen, -50, 50)))
        slope = odds.T @ (right - said) - prior * (chosen - start)
        bend = (odds * (said * (1 - said))[:, None]).T @ odds + prior * np.eye(2)
        step = np.linalg.solve(bend, slope)
        # A whole step of Newton's can lead away where few cards tell the slope.
        while cost(chosen + step) > cost(chosen) and np.abs(step).max() > 1e-9:
            step = step / 2
        chosen = chosen + step
    return float(chosen[0]), float(chosen[1])
