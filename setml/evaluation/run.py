"""The whole comparison: from labelled data to tables, files and the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
import pandas as pd

from setml.classifiers import CLASSIFIERS, Classifier
from setml.datasets.crops import LabelledCrops, cut_crops, list_crops, read_crops
from setml.datasets.negatives import cut_negatives
from setml.datasets.truth import Truth, TruthError, read_truth
from setml.evaluation.compare import compare, summarize, summarize_certainty
from setml.evaluation.crops import read_all, summarize_crops
from setml.evaluation.report import render_report
from setml.extractors import EXTRACTORS, Extractor
from setml.files import write_file
from setml.model import ModelError, models_folder

#: What a quick comparison leaves of photographs and of crops: one in so many, of each source.
QUICK: Final = 5
#: How many crops of no card are cut from each photograph.
NEGATIVES: Final = 3

Method = TypeVar("Method", Extractor, Classifier)


@dataclass(frozen=True)
class Benchmark:
    """What is compared on.

    Attributes
    ----------
    truths : list of Truth
        Photographs of tables.
    crops : LabelledCrops
        Their cards by true corners, single cards of other sources, and what is no card.
    """

    truths: list[Truth]
    crops: LabelledCrops


def load_benchmark(folder: Path, splits: Sequence[str] = (), quick: bool = False) -> Benchmark:
    """Load labelled data.

    Parameters
    ----------
    folder : Path
        Has ``labels.json`` and photographs, or folders ``tables`` with those and ``crops`` with ``crops.csv``.
    splits : sequence of str
        Which to take; without any, all but "train" where there are others.
    quick : bool
        A fifth of each source.

    Raises
    ------
    TruthError, PhotoError
        If the labels or a photograph cannot be read, or nothing is of the splits.
    """
    tables = folder / "tables" if (folder / "tables").is_dir() else folder
    truths = read_truth(tables)
    files = list_crops(folder / "crops") if (folder / "crops").is_dir() else []
    there = {truth.split for truth in truths} | {file.split for file in files}
    wanted = set(splits) or there - {"train"} or there
    if not wanted <= there:
        missing = ", ".join(sorted(wanted - there))
        raise TruthError(f"{folder}: has nothing of split {missing}; expected one of {', '.join(sorted(there))}")
    truths = [truth for truth in truths if truth.split in wanted]
    files = [file for file in files if file.split in wanted]
    if quick:
        truths, files = truths[::QUICK], files[::QUICK]
    parts = [part for part in (cut_crops(truths), cut_negatives(truths, each=NEGATIVES)) if len(part)]
    if files:
        parts.append(read_crops(files))
    return Benchmark(truths, LabelledCrops.join(parts))


def run(
    benchmark: Benchmark,
    names: Sequence[str],
    by: str,
    jobs: int,
    output: Path | None,
    leaderboard: Path | None = None,
    tell: Callable[[str], None] = print,
    *,
    alone: bool = False,
) -> None:
    """Compare classifiers on crops, and extractors and classifiers on tables; tell and write the tables.

    Parameters
    ----------
    benchmark : Benchmark
        What on.
    names : sequence of str
        Of :data:`setml.classifiers.CLASSIFIERS`; one whose models are missing is left out, and that is told.
    by : {"split", "source", "edition"}
        What each row of what is told is for; the report has all.
    jobs : int
        Photographs at a time.
    output : Path or None
        A folder for the tables, all rows, and ``report.html``.
    leaderboard : Path or None
        A file for the ranking on split `val`, with the sizes of the models.
    tell : callable
        Is told the tables as Markdown.
    alone : bool
        Also read the cards of each photograph each for itself.
    """
    classifiers = _load({name: CLASSIFIERS[name] for name in names}, tell)
    crops = benchmark.crops
    rows = read_all(classifiers, crops)
    tell(f"\nCrops by true corners: {_count(crops)}\n")
    tell(_markdown(summarize_crops(rows, by)))
    photos, cards = compare(benchmark.truths, list(_load(EXTRACTORS, tell)), list(classifiers), jobs, alone=alone)
    tell(f"\nWhole tables: {len(benchmark.truths)} photographs\n")
    tell(_markdown(summarize(photos, by)))
    tell("\nHow sure the cards are that were reported\n")
    tell(_markdown(summarize_certainty(cards, by)))
    sizes = {name: model_bytes(name) for name in classifiers}
    data = [f"{_count(crops)}, SHA-256 of images and truth {crops.digest}", f"{len(benchmark.truths)} photographs"]
    if leaderboard is not None:
        write_file(leaderboard, _rank(rows, sizes, data).encode(), overwrite=True)
    if output is None:
        return
    tables = []
    for each in ("split", "source", "edition"):
        tables.append((f"Crops by {each}", "Cut by their true corners.", summarize_crops(rows, each)))
        tables.append((f"Tables by {each}", "Every extractor with every classifier.", summarize(photos, each)))
        tables.append((f"Certainty by {each}", "Of the cards that were reported.", summarize_certainty(cards, each)))
    mistaken = cards[cards["certain"] & ~cards["right"]][["extractor", "classifier", "photo", "card", "confidence"]]
    tables.append(("Certain and wrong", "Each card that was said to be certain and is not there.", mistaken))
    text = "\n\n".join(f"## {title}\n\n{_markdown(table)}" for title, _, table in tables)
    files = {
        "crops.csv": rows.to_csv(index=False),
        "photos.csv": photos.to_csv(index=False),
        "cards.csv": cards.to_csv(index=False),
        "comparison.md": f"# The comparison\n\n{chr(10).join(f'- {line}' for line in data)}\n\n{text}\n",
        "report.html": render_report(tables, rows, crops, sizes, data),
    }
    for name, content in files.items():
        # A report is made anew each time.
        write_file(output / name, content.encode(), overwrite=True)


def _rank(rows: pd.DataFrame, sizes: Mapping[str, int], data: Sequence[str]) -> str:
    """Rank the classifiers by the whole cards they read of split `val`, or of the first split there is."""
    table = summarize_crops(rows)
    splits = sorted(set(table["split"]), key=lambda split: (split != "val", split))
    chosen_by = table[table["split"] == splits[0]].set_index("classifier")["whole"]
    table["kB"] = table["classifier"].map(sizes) / 1000
    table["rank"] = table["classifier"].map(chosen_by)
    table["order"] = table["split"].map(splits.index)
    ranked = table.sort_values(["order", "rank"], ascending=[True, False], kind="stable")
    lines = "\n".join(f"- {line}" for line in data)
    return (
        "# The leaderboard\n\n"
        f"Crops by true corners, figures in per cent; the best on split `{splits[0]}` is the default.\n\n"
        f"{lines}\n\n{_markdown(ranked.drop(columns=['rank', 'order']))}\n"
    )


def _load(makers: Mapping[str, Callable[[], Method]], tell: Callable[[str], None]) -> dict[str, Method]:
    """Make methods; one whose models are missing is left out, and that is told."""
    loaded = {}
    for name, make in makers.items():
        try:
            method = make()
            method.load()
            loaded[name] = method
        except ModelError as error:
            tell(f"left out: {error}")
    return loaded


def model_bytes(name: str) -> int:
    """Return how large the models of a classifier are; 0 for one that has none."""
    return sum(path.stat().st_size for path in (models_folder() / name).glob("*.onnx"))


def _count(crops: LabelledCrops) -> str:
    cards = int(crops.is_card.sum())
    photos = len(np.unique(crops.photos))
    return f"{cards} cards and {len(crops) - cards} crops of none, of {photos} photographs"


def _markdown(table: pd.DataFrame) -> str:
    return str(table.to_markdown(index=False, floatfmt=".2f"))
