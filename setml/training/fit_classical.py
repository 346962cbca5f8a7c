"""KNN and SVM on designed features: scikit-learn pipelines, chosen by cross-validation over sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from joblib import Memory, Parallel, delayed
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from setml.cards import ATTRIBUTES
from setml.classifiers.features import describe
from setml.classifiers.learned import HEADS
from setml.training.data import TrainingData
from setml.training.stream import BATCH, stream

Floats = npt.NDArray[np.float64]

#: What is tried for each method; the names are those of scikit-learn's parameters.
GRIDS: Final[Mapping[str, Mapping[str, tuple[Any, ...]]]] = MappingProxyType(
    {
        "knn": {"reduce__n_components": (6, 10), "classify__n_neighbors": (5, 15)},
        "svm": {"classify__C": (1.0, 5.0, 25.0), "classify__gamma": (0.003, 0.01, 0.03)},
    }
)
#: How many crops each method learns from: neighbours are looked for among all of them at every reading.
CROPS: Final[Mapping[str, int]] = MappingProxyType({"knn": 3000, "svm": 8000})
#: How strongly they are augmented: so few crops do not cover all that can happen to a card.
STRENGTH: Final = 0.6
FOLDS: Final = 5


@dataclass(frozen=True, eq=False)
class Described:
    """Features of augmented crops and their truth.

    Attributes
    ----------
    features : dict of ndarray, float64, (n, k)
        By head.
    values : ndarray, int8, (n, 4)
        -1 where there is no card.
    groups : ndarray of str, (n,)
        What must not be divided between learning and testing: the source, or the photograph where there is
        one source alone.
    """

    features: dict[str, Floats]
    values: npt.NDArray[np.int8]
    groups: npt.NDArray[np.str_]

    def of(self, head: str, limit: int) -> tuple[Floats, npt.NDArray[np.int64], npt.NDArray[np.str_]]:
        """Return features, answers and groups for one head, of `limit` crops at most."""
        is_card = self.values[:, 0] >= 0
        if head == "card":
            return self.features[head][:limit], is_card[:limit].astype(np.int64), self.groups[:limit]
        which = np.flatnonzero(is_card)[:limit]
        answers = self.values[which, ATTRIBUTES.index(head)].astype(np.int64)
        return self.features[head][which], answers, self.groups[which]


def describe_augmented(digest: str, data: TrainingData, count: int, seed: int, jobs: int) -> Described:
    """Augment crops, less strongly than for the nets, and describe them.

    Parameters
    ----------
    digest : str
        Of the data, by which joblib's cache knows it: hashing all crops would cost more than it saves.
    data : TrainingData
        What to augment.
    count : int
        How many crops, to whole batches.
    seed : int
        Of their choice and of augmentation.
    jobs : int
        Processes at a time.
    """
    assert digest == data.train.digest
    batches = -(-count // BATCH)
    crops, places = (np.concatenate(part) for part in zip(*stream(data, batches, seed, STRENGTH), strict=True))
    parts = Parallel(n_jobs=jobs)(delayed(describe)(crops[start : start + 250]) for start in range(0, len(crops), 250))
    features = {head: np.concatenate([part[head] for part in parts]) for head in HEADS}
    sources = data.train.sources[places]
    groups = sources if len(set(sources.tolist())) >= FOLDS else data.train.photos[places]
    return Described(features, data.train.values[places], groups)


def fit_classical(
    method: str,
    data: TrainingData,
    folder: Path,
    *,
    quick: bool = False,
    seed: int = 0,
    jobs: int = 2,
    tell: Callable[[str], None] = print,
) -> dict[str, Pipeline]:
    """Choose and fit one pipeline a head.

    Parameters
    ----------
    method : {"knn", "svm"}
        What to fit.
    data : TrainingData
        What to learn from; `val` is not touched.
    folder : Path
        For joblib's cache, so that a run that was stopped goes on with the next head.
    quick : bool
        A quarter of the crops.
    seed : int
        Of the choice of crops and of augmentation.
    jobs : int
        Processes at a time.
    tell : callable
        Is told a line for each head.

    Returns
    -------
    dict of Pipeline
        By head.
    """
    memory = Memory(folder / "cache", verbose=0)
    count = CROPS[method] // (4 if quick else 1)
    # A quarter more, since what is no card has no attributes.
    described = memory.cache(describe_augmented, ignore=["data", "jobs"])(
        data.train.digest, data, count * 5 // 4, seed, jobs
    )
    search = memory.cache(_search, ignore=["jobs"])
    fitted = {}
    for head in HEADS:
        pipeline, chosen, right = search(method, *described.of(head, count), jobs)
        fitted[head] = pipeline
        tell(f"{method} {head}: {100 * right:.2f} % right on held-out sources with {chosen}")
    return fitted


def _search(
    method: str, features: Floats, answers: npt.NDArray[np.int64], groups: npt.NDArray[np.str_], jobs: int
) -> tuple[Pipeline, dict[str, Any], float]:
    """Choose the best of a grid, then fit it so that it tells probabilities: the pipeline, its choice, its accuracy."""
    folds = list(GroupKFold(min(FOLDS, len(set(groups.tolist())))).split(features, answers, groups))
    steps: list[tuple[str, Any]] = [("scale", StandardScaler())]
    if method == "knn":
        # What is near is learned: Goldberger et al., "Neighbourhood components analysis", 2004.
        near = NeighborhoodComponentsAnalysis(init="pca", max_iter=30, random_state=0)
        steps += [("reduce", near), ("classify", KNeighborsClassifier())]
    else:
        steps += [("classify", SVC(class_weight="balanced"))]
    grid = {name: list(values) for name, values in GRIDS[method].items()}
    search = GridSearchCV(Pipeline(steps), grid, scoring="balanced_accuracy", cv=folds, n_jobs=jobs, refit=False)
    search.fit(features, answers)
    chosen = {name.split("__")[1]: value for name, value in search.best_params_.items()}
    best = Pipeline(steps).set_params(**search.best_params_)
    if method == "svm":
        # Platt's sigmoids, fitted on what each fold left out.
        classify = CalibratedClassifierCV(best.named_steps["classify"], ensemble=False, cv=folds)
        best = Pipeline([("scale", StandardScaler()), ("classify", classify)])
    best.fit(features, answers)
    return best, chosen, float(search.best_score_)
