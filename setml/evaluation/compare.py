"""Every extractor with every classifier on the same labelled photographs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import cache
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

from setml.datasets.truth import Truth
from setml.evaluation.crops import interval
from setml.evaluation.measures import Score, score
from setml.photo import PhotoError
from setml.solver import Solver


def compare(
    truths: Sequence[Truth], extractors: Sequence[str], classifiers: Sequence[str], jobs: int = 1
) -> pd.DataFrame:
    """Solve every photograph by every one of some extractors with every one of some classifiers.

    Returns
    -------
    DataFrame
        A row for each photograph, extractor and classifier: its names, the counts of
        :class:`~setml.evaluation.measures.Score`, and the seconds by stage.
    """
    rows = Parallel(n_jobs=jobs)(delayed(_rows)(truth, extractors, classifiers) for truth in truths)
    return pd.DataFrame(list(itertools.chain.from_iterable(rows)))


@cache
def _solver(extractor: str, classifier: str) -> Solver:
    """Make a solver once in each process; it loads its models."""
    return Solver(extractor, classifier)


def _rows(truth: Truth, extractors: Sequence[str], classifiers: Sequence[str]) -> list[dict[str, Any]]:
    """Solve one photograph in all ways; cards are found once for all classifiers."""
    rows = []
    for extractor in extractors:
        try:
            found = _solver(extractor, classifiers[0]).find(truth.path)
        except PhotoError:
            found = None
        for classifier in classifiers:
            solution = None if found is None else _solver(extractor, classifier).read(*found)
            rows.append(
                {
                    "photo": truth.name,
                    "source": truth.source,
                    "split": truth.split,
                    "edition": truth.edition,
                    "extractor": extractor,
                    "classifier": classifier,
                    **asdict(score(truth, solution)),
                    **({} if solution is None else {f"{k} s": s for k, s in solution.seconds.items()}),
                }
            )
    return rows


def summarize(rows: pd.DataFrame, by: str = "split") -> pd.DataFrame:
    """Add up the rows of :func:`compare` by extractor, classifier and `by`, as percentages.

    Returns
    -------
    DataFrame
        A row for each; ``95 %`` is the interval of ``boards``, ``seconds`` the median of a photograph, decoding
        included.
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
