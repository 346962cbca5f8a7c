"""Every extractor with every classifier on the same labelled photographs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

from setml.classifiers import CLASSIFIERS
from setml.evaluation.measures import Score, score
from setml.evaluation.truth import Truth
from setml.extractors import EXTRACTORS
from setml.photo import PhotoError, read_photo
from setml.solver import Solver


def compare(truths: Sequence[Truth], jobs: int = 1) -> pd.DataFrame:
    """Solve every photograph by every pair of methods.

    Returns
    -------
    DataFrame
        A row for each photograph, extractor and classifier: its names, the counts of
        :class:`~setml.evaluation.measures.Score`, and the seconds by stage.
    """
    rows = Parallel(n_jobs=jobs)(delayed(_rows)(truth) for truth in truths)
    return pd.DataFrame(list(itertools.chain.from_iterable(rows)))


def _rows(truth: Truth) -> list[dict[str, Any]]:
    rows = []
    for extractor, classifier in itertools.product(EXTRACTORS, CLASSIFIERS):
        try:
            solution = Solver(extractor, classifier).solve(read_photo(truth.path))
        except PhotoError:
            solution = None
        rows.append(
            {
                "photo": f"{truth.path.parent.name}/{truth.path.name}",
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
        A row for each; ``seconds`` is the median of a photograph, decoding included.
    """
    names = [field.name for field in fields(Score)]
    table = []
    for key, group in rows.groupby(["extractor", "classifier", by], sort=True):
        counts = Score(*(int(group[name].sum()) for name in names))
        labels = dict(zip(("extractor", "classifier", by), key, strict=True))
        table.append({**labels, **counts.figures(), "seconds": group["total s"].median()})
    return pd.DataFrame(table)
