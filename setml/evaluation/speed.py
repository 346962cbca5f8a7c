"""How long solving takes, beside only reading the same photo: ``make bench``."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
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
from setml.files import write_file
from setml.many import Task, solve_all
from setml.photo import SUFFIXES
from setml.sets import METHODS
from setml.solver import Solver

PAIRS: Final = 10
#: Of the drawn photo that is solved: 12 megapixels, as phones take them.
SIZE: Final = (4032, 3024)
#: Photos of at least so many pixels are worth timing.
MANY_PIXELS: Final = 8_000_000
#: What a process prints of itself as it ends, on Linux: the most memory it had, in kilobytes. Unlike `getrusage`,
#: this does not count the process that started it.
TELL_MEMORY: Final = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"

#: A line of the table: what was measured, and the figure.
Row = tuple[str, str]


@click.command()
@click.option(
    "--photos", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Photographs to time too."
)
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the table here, as Markdown.")
@click.option("--many", type=int, help="Solve so many small drawn tables in one run too, and tell its memory.")
def main(photos: Path | None, output: Path | None, many: int | None) -> None:
    """Time everything, each ratio as the median of pairs measured in turn in one run."""
    machine = f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, OpenCV {cv2.__version__}"
    click.echo(machine)
    lines = ["| what | figure |", "|:--|--:|"]
    with tempfile.TemporaryDirectory() as folder:
        for what, figure in _measure(Path(folder), photos, many):
            lines.append(f"| {what} | {figure} |")
            click.echo(lines[-1])
    if output is not None:
        write_file(output, f"# Speed\n\n{machine}\n\n{chr(10).join(lines)}\n".encode(), overwrite=True)


def _measure(folder: Path, photos: Path | None, many: int | None) -> Iterator[Row]:
    photo = folder / "photo.jpg"
    cv2.imwrite(str(photo), draw_table(12, seed=1, size=SIZE).image)
    yield from _processes(photo, folder)
    yield from _beside_imread([photo], "a drawn photo of 12 megapixels")
    if photos is not None:
        large = [path for path in sorted(photos.rglob("*")) if path.suffix.lower() in SUFFIXES and _pixels(path)]
        yield from _beside_imread(large, f"{len(large)} photographs of 8 megapixels and more")
    yield from _stages(photo)
    yield from _throughput(folder)
    for count in (12, 27, 81):
        image = draw_table(count, seed=1, size=SIZE).image
        for name, find in EXTRACTORS.items():
            took = 1000 * _seconds(partial(find().extract, image))
            yield f"{count} cards on 12 megapixels, by {name}", f"{took:.1f} ms"
    crops = np.stack([draw_card(card) for card in DECK[:12]])
    for name, make in CLASSIFIERS.items():
        yield f"12 crops, by {name}", f"{1000 * _seconds(partial(make().read, crops)):.1f} ms"
    yield from _rules()
    if many is not None:
        yield from _memory(folder, many)


def _processes(photo: Path, folder: Path) -> Iterator[Row]:
    """Compare whole processes: one that solves with one that imports OpenCV and reads."""
    read = [sys.executable, "-c", f"import cv2; cv2.imread({str(photo)!r})"]
    solve = [sys.executable, "-m", "setml", "solve", str(photo), "--json"]
    draw = [*solve[:-1], "-o", str(folder / "sets.jpg"), "--overwrite"]
    for what, command in (("the lines of JSON", solve), ("the picture", draw)):
        pairs = [(_process_seconds(command), _process_seconds(read)) for _ in range(PAIRS + 1)][1:]
        ratio = statistics.median(ours / theirs for ours, theirs in pairs)
        yield f"whole process with {what}, to one that imports cv2 and reads", f"{ratio:.2f}"
    code = f"import sys, setml; setml.solve({str(photo)!r}); {TELL_MEMORY}"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    yield "most memory of a process that solves it", f"{int(told.split()[-1]) / 1024:.0f} MB"


def _beside_imread(photos: Sequence[Path], what: str) -> Iterator[Row]:
    """Compare solving, decoding included, with `cv2.imread` of the same file."""
    solver, ratios = Solver(), []
    for photo in photos:
        solver.solve(photo)
        pairs = []
        for _ in range(3 if len(photos) > 1 else PAIRS):
            started = time.perf_counter()
            cv2.imread(str(photo))
            read = time.perf_counter()
            solver.solve(photo)
            pairs.append((time.perf_counter() - read) / (read - started))
        ratios.append(statistics.median(pairs))
    yield f"solving {what}, to cv2.imread: median", f"{statistics.median(ratios):.2f}"
    if len(ratios) > 1:
        yield f"solving {what}, to cv2.imread: most", f"{max(ratios):.2f}"


def _stages(photo: Path) -> Iterator[Row]:
    solver, stages = Solver(), dict[str, list[float]]()
    for _ in range(PAIRS):
        for stage, value in solver.solve(photo).seconds.items():
            stages.setdefault(stage, []).append(value)
    for stage, values in stages.items():
        yield f"solving it: {stage}", f"{1000 * statistics.median(values):.1f} ms"


def _throughput(folder: Path) -> Iterator[Row]:
    """Solve 200 photos with one process and with two."""
    paths = [folder / f"table-{place}.jpg" for place in range(20)]
    for place, path in enumerate(paths):
        cv2.imwrite(str(path), draw_table(12, seed=place, size=(2016, 1512)).image)
    tasks = [Task(str(path), str(path)) for path in paths * 10]
    rates = {}
    for jobs in (1, 2):
        # What a process needs to start is not what is measured.
        list(solve_all(tasks[: 4 * jobs], jobs))
        started = time.perf_counter()
        list(solve_all(tasks, jobs))
        rates[jobs] = len(tasks) / (time.perf_counter() - started)
        yield f"photos of 3 megapixels a second, {jobs} job{'s' * (jobs > 1)}", f"{rates[jobs]:.1f}"
    yield "two jobs to one", f"{rates[2] / rates[1]:.2f}"


def _memory(folder: Path, count: int) -> Iterator[Row]:
    """Solve many small tables by two processes in one run, and tell how much memory all of them have meanwhile."""
    paths = [folder / f"small-{place}.jpg" for place in range(50)]
    for place, path in enumerate(paths):
        cv2.imwrite(str(path), draw_table(9, seed=place, size=(640, 480)).image)
    tasks = [Task(str(paths[place % len(paths)]), str(paths[place % len(paths)])) for place in range(count)]
    told = []
    for place, _ in enumerate(solve_all(tasks, 2), 1):
        if place in (count // 10, count // 2, count):
            told.append(f"{_megabytes():.0f}")
    yield f"memory of all processes after a tenth, a half and all of {count} tables", f"{', '.join(told)} MB"


def _megabytes() -> float:
    """Add up the memory of this process and of those it started."""
    import psutil

    this = psutil.Process()
    return float(sum(process.memory_info().rss for process in [this, *this.children(recursive=True)]) / 2**20)


def _rules() -> Iterator[Row]:
    """Time both ways to find all sets, and tell from how many cards the key is the quicker."""
    quicker = 81
    for count in (*range(3, 22), 27, 81):
        cards = DECK[:: len(DECK) // count][:count]
        took = {name: _seconds(partial(method, cards)) for name, method in METHODS.items()}
        if took["key"] < took["triples"]:
            quicker = min(quicker, count)
        if count in (3, 12, 21, 81):
            for name, seconds in took.items():
                yield f"all sets of {count} cards, by {name}", f"{1e6 * seconds:.0f} µs"
    yield "the key is quicker than the triples from", f"{quicker} cards"


def _pixels(path: Path) -> bool:
    from PIL import Image

    with Image.open(path) as image:
        return image.width * image.height >= MANY_PIXELS


def _processor() -> str:
    """Name the processor, as Linux tells it, or the architecture."""
    told = Path("/proc/cpuinfo")
    models = [line for line in told.read_text().splitlines() if line.startswith("model name")] if told.exists() else []
    return models[0].split(":")[1].strip() if models else platform.machine()


def _process_seconds(command: list[str]) -> float:
    """Time a whole process from start to end."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


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
