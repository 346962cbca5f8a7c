"""``setml solve``: photos in, cards and sets out."""

from __future__ import annotations

import gc
import glob
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from setml.sets import METHODS

if TYPE_CHECKING:
    from setml.many import Answer
    from setml.solution import Solution


class _Registered(click.ParamType[str]):
    """A name in one of the package's mappings, which are imported only when one is given."""

    def __init__(self, kind: str) -> None:
        self.name = kind

    def _names(self) -> Sequence[str]:
        from setml.classifiers import CLASSIFIERS
        from setml.extractors import EXTRACTORS

        return sorted(EXTRACTORS if self.name == "extractor" else CLASSIFIERS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self._names():
            self.fail(f"there is no {self.name} {value!r}; expected one of {', '.join(self._names())}", param, ctx)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        return [click.shell_completion.CompletionItem(n) for n in self._names() if n.startswith(incomplete)]


@click.command(
    epilog="""\b
Examples:
  setml solve table.jpg                    the cards and the sets, in words
  setml solve table.jpg -o sets.jpg        and as a picture
  setml solve holiday/ --jobs 2 --json     a folder, a line of JSON for each photo
  setml solve holiday/ --resume all.jsonl  the same into a file; said again, it goes on
  cat table.jpg | setml solve -            from standard input"""
)
@click.argument("photos", nargs=-1, required=True, metavar="PHOTO...", type=click.Path())
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write the picture here; a folder for several photos."
)
@click.option("--overwrite", is_flag=True, help="Let the picture replace a file that is there; never a source.")
@click.option("--show", is_flag=True, help="Open the picture in a window.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines only, one for each photo.")
@click.option("--extractor", type=_Registered("extractor"), help="How cards are found.")
@click.option("--classifier", type=_Registered("classifier"), help="How cards are read.")
@click.option(
    "--method", type=click.Choice(list(METHODS)), default="key", show_default=True, help="How sets are found."
)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Photos solved at a time.")
@click.option("--dask", "cluster", metavar="ADDRESS", help="Solve on the workers of a Dask cluster instead.")
@click.option(
    "--resume",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the JSON lines to this file, and leave out the photos that it already answers.",
)
def solve(
    photos: tuple[str, ...],
    output: Path | None,
    overwrite: bool,
    show: bool,
    as_json: bool,
    extractor: str | None,
    classifier: str | None,
    method: str,
    jobs: int,
    cluster: str | None,
    resume: Path | None,
) -> int:
    """Find every set on photographs: files, folders, patterns such as '*.jpg', or - for standard input."""
    # What is imported stays: no collection, not even the one at the end, need look at it. A tenth of the process.
    gc.disable()
    from setml.many import ClusterError, Task, solve_all
    from setml.model import ModelError
    from setml.photo import MAX_BYTES
    from setml.solver import DEFAULT_CLASSIFIER, DEFAULT_EXTRACTOR

    gc.freeze()
    gc.enable()
    if show and sys.platform.startswith("linux") and not (os.getenv("DISPLAY") or os.getenv("WAYLAND_DISPLAY")):
        raise click.UsageError("--show found no display to open a window on; write the picture with -o instead")
    sources = list(_expand(photos))
    if show and output is None:
        output = Path(tempfile.mkdtemp(prefix="setml-"))
    answered = set() if resume is None else _answered(resume)
    pictures = _place_pictures(sources, output, overwrite, answered)
    tasks = [
        Task(
            name=source,
            source=sys.stdin.buffer.read(MAX_BYTES + 1) if source == "-" else source,
            picture=picture,
            overwrite=overwrite,
            extractor=extractor or DEFAULT_EXTRACTOR,
            classifier=classifier or DEFAULT_CLASSIFIER,
            method=method,
        )
        for source, picture in zip(sources, pictures, strict=True)
        if source not in answered
    ]
    failed = False
    try:
        answers = _with_progress(solve_all(tasks, jobs, cluster), len(tasks))
        for task, answer in zip(tasks, answers, strict=True):
            failed |= "error" in answer
            if resume is not None:
                with resume.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(answer) + "\n")
            else:
                _tell(answer, as_json)
            if show and "error" not in answer and task.picture is not None:
                click.launch(str(task.picture))
    except (ModelError, ClusterError) as error:
        raise click.UsageError(str(error)) from None
    return int(failed)


def _answered(lines: Path) -> set[str]:
    """Return which photos a file of JSON lines answers; those that failed, and a line that was cut, are taken out."""
    from setml.files import write_file

    if not lines.exists():
        return set()
    kept: dict[str, str] = {}
    told = lines.read_text("utf-8", errors="replace").splitlines()
    for number, line in enumerate(told, 1):
        try:
            answer = json.loads(line)
            name, has_failed = str(answer["image"]), "error" in answer
        except (ValueError, KeyError, TypeError):
            if number == len(told):
                continue
            raise click.UsageError(f"{lines}: line {number} is no answer of setml; name a file of its own") from None
        if not has_failed:
            kept[name] = line
    write_file(lines, "".join(f"{line}\n" for line in kept.values()).encode(), overwrite=True)
    return set(kept)


def _tell(answer: Answer, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(answer))
    elif "error" in answer:
        click.echo(f"setml: {answer['error']}", err=True)
    else:
        click.echo(_in_words(answer))


def _expand(photos: Iterable[str]) -> Iterator[str]:
    """Turn folders and patterns into the photos they stand for, in order."""
    from setml.photo import SUFFIXES

    for photo in photos:
        # Unlike Path's, these say no to a name that no file can have.
        if os.path.isdir(photo):
            inside = sorted(str(p) for p in Path(photo).rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
            # A folder without photos stays an argument, so that it gets an error of its own.
            yield from inside or [photo]
        elif photo != "-" and not os.path.exists(photo) and glob.has_magic(photo):
            yield from sorted(glob.glob(photo, recursive=True)) or [photo]
        else:
            yield photo


def _place_pictures(
    sources: Sequence[str], output: Path | None, overwrite: bool, answered: set[str]
) -> list[Path | None]:
    """Choose where each photo's picture goes, and refuse what would harm a file; those answered have theirs."""
    from setml.files import PICTURE_SUFFIXES

    if output is None:
        return [None] * len(sources)
    if output.suffix.lower() in PICTURE_SUFFIXES and not output.is_dir():
        if len(sources) > 1:
            raise click.UsageError(f"-o {output} is one file for {len(sources)} photos; name a folder")
        pictures = [output]
    elif output.suffix and not output.is_dir():
        raise click.UsageError(f"-o {output} is no kind of picture; expected .jpg, .png, .webp or a folder")
    else:
        pictures, taken = [], set()
        for source in sources:
            stem = "stdin" if source == "-" else Path(source).stem
            name, number = f"{stem}-sets.jpg", 2
            while name in taken:
                name, number = f"{stem}-sets-{number}.jpg", number + 1
            taken.add(name)
            pictures.append(output / name)
    originals = {os.path.realpath(source) for source in sources}
    for source, picture in zip(sources, pictures, strict=True):
        if source in answered:
            continue
        if os.path.realpath(picture) in originals:
            raise click.UsageError(f"-o {picture} is a photo to be solved; name another file, sources stay as they are")
        if picture.exists() and not overwrite:
            raise click.UsageError(f"-o {picture} exists; name another file, or add --overwrite to replace it")
    return list(pictures)


def _with_progress(answers: Iterable[Answer], count: int) -> Iterator[Answer]:
    """Show a bar on the terminal while several photos are solved, and none in a pipe."""
    if count == 1 or not sys.stderr.isatty():
        yield from answers
        return
    with click.progressbar(answers, length=count, label="solving", file=sys.stderr) as bar:
        for answer in bar:
            # What is printed takes the bar's line; the bar is drawn anew below it.
            click.echo("\r\x1b[K", nl=False, err=True)
            yield answer


def _in_words(answer: Answer) -> str:
    """Say what is on a photo as a person would."""
    from setml.render import summary
    from setml.solution import Solution

    solution = Solution.from_dict(answer)
    lines = [f"{solution.image}: {summary(solution)}"]
    if solution.cards:
        lines.append("  cards")
    for place, found in enumerate(solution.cards, 1):
        lines.append(f"  {place:4}  {found.card}" + ("" if found.certain else "  (uncertain)"))
    if solution.sets:
        lines.append("  sets")
    lines += [f"  {place:4}  {_say_set(solution, place - 1)}" for place in range(1, len(solution.sets) + 1)]
    lines += [f"  warning: {warning}" for warning in solution.warnings]
    return "\n".join(lines)


def _say_set(solution: Solution, place: int) -> str:
    trio = solution.sets[place]
    told = ", ".join(str(solution.cards[i].card) for i in trio)
    return told + ("" if solution.is_certain(trio) else "  (uncertain)")
