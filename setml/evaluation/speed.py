"""How long solving takes, beside only reading the same photo: ``make bench``."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import click
import cv2
import numpy as np

from setml.cards import DECK
from setml.classifiers import CLASSIFIERS
from setml.datasets.cards import draw_card
from setml.datasets.tables import draw_table
from setml.extractors import EXTRACTORS
from setml.sets import METHODS
from setml.solver import Solver

PAIRS: Final = 10
#: Of the drawn photo that is solved: 12 megapixels, as phones take them.
SIZE: Final = (4032, 3024)


def process_seconds(command: list[str]) -> float:
    """Time a whole process from start to end."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> None:
    """Print the ratios, each the median of pairs measured in turn in one run."""
    click.echo(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, OpenCV {cv2.__version__}"
    )
    with tempfile.TemporaryDirectory() as folder:
        photo, picture = Path(folder, "photo.jpg"), Path(folder, "sets.jpg")
        cv2.imwrite(str(photo), draw_table(12, seed=1, size=SIZE).image)
        read = [sys.executable, "-c", f"import cv2; cv2.imread({str(photo)!r})"]
        solve = [sys.executable, "-m", "setml", "solve", str(photo), "-o", str(picture), "--overwrite"]
        pairs = [(process_seconds(solve), process_seconds(read)) for _ in range(PAIRS + 1)][1:]
        ratio = statistics.median(ours / theirs for ours, theirs in pairs)
        click.echo(f"whole process, solving and writing the picture, to one that reads 12 megapixels: {ratio:.2f}")
        solver, reads, totals = Solver(), [], []
        stages: dict[str, list[float]] = {}
        for _ in range(PAIRS):
            started = time.perf_counter()
            cv2.imread(str(photo))
            reads.append(time.perf_counter() - started)
            seconds = solver.solve(photo).seconds
            totals.append(seconds["total"])
            for stage, value in seconds.items():
                stages.setdefault(stage, []).append(value)
        ratio = statistics.median(ours / theirs for ours, theirs in zip(totals, reads, strict=True))
        click.echo(f"solve to cv2.imread: {ratio:.2f}")
        for stage, values in stages.items():
            click.echo(f"  {stage:9}{1000 * statistics.median(values):7.1f} ms")
    for count in (12, 27, 81):
        image = draw_table(count, seed=1, size=SIZE).image
        for name, find in EXTRACTORS.items():
            took = 1000 * _seconds(partial(find().extract, image))
            click.echo(f"{count} cards on 12 megapixels by {name:10}{took:8.1f} ms")
    crops = np.stack([draw_card(card) for card in DECK[:12]])
    for name, make in CLASSIFIERS.items():
        click.echo(f"twelve crops by {name:10}{1000 * _seconds(partial(make().read, crops)):8.1f} ms")
    for count in (3, 12, 21, 81):
        cards = DECK[:: len(DECK) // count][:count]
        for name, method in METHODS.items():
            click.echo(f"all sets of {count:2} cards by {name:8}{1e6 * _seconds(partial(method, cards)):10.0f} µs")


def _seconds(action: Callable[[], object]) -> float:
    """Time an action after it was done once: the median."""
    action()
    times = []
    for _ in range(PAIRS):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


if __name__ == "__main__":
    main()
