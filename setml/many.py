"""Many photos: solved by several processes, or by a cluster's, each answer in its turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from setml.cores import one_core
from setml.photo import PhotoError, read_photo
from setml.solver import DEFAULT_CLASSIFIER, DEFAULT_EXTRACTOR, DEFAULT_METHOD, Solver

if TYPE_CHECKING:
    from joblib import Parallel

#: What a line of JSON says of one photo.
Answer = dict[str, Any]

#: So many photos are handed to the workers at a time, for each worker: what waits to be told takes memory.
AT_A_TIME: Final = 50

#: Pixels of the longer side that suffice for a picture of the sets.
PICTURE_PIXELS: Final = 1500


class ClusterError(ValueError):
    """A cluster cannot be reached; the message is one line."""


@dataclass(frozen=True)
class Task:
    """One photo to solve, and where its picture goes; called, it does so, and returns what its line of JSON says.

    Attributes
    ----------
    name : str
        Of the photo, as the answer has it.
    source : str or bytes
        Its path, or what it holds.
    picture : Path or None
        Where to write the sets drawn on it.
    overwrite : bool
        Replace a picture that is there.
    extractor, classifier, method : str
        How it is solved; see :class:`setml.Solver`.
    """

    name: str
    source: str | bytes
    picture: Path | None = None
    overwrite: bool = False
    extractor: str = DEFAULT_EXTRACTOR
    classifier: str = DEFAULT_CLASSIFIER
    method: str = DEFAULT_METHOD

    def __call__(self) -> Answer:
        """Solve it; a photo that cannot be read, or a picture that cannot be written, is an answer too."""
        # Its models are loaded while the photo is read.
        solver = _solver(self.extractor, self.classifier, self.method)
        try:
            enough = solver.extractor.enough if self.picture is None else PICTURE_PIXELS
            found = solver.find(read_photo(self.source, enough=enough, name=self.name))
        except PhotoError as error:
            return {"image": self.name, "error": str(error)}
        solution = solver.read(*found)
        if self.picture is not None:
            from setml.files import write_picture
            from setml.render import draw_sets

            try:
                write_picture(self.picture, draw_sets(found[0].image, solution), overwrite=self.overwrite)
            except OSError as error:
                reason = f"{self.picture}: cannot be written ({error.strerror}); expected a place for the picture"
                return {"image": self.name, "error": f"{reason}, name another with -o"}
        return solution.to_dict()


@cache
def _solver(extractor: str, classifier: str, method: str) -> Solver:
    """Make the solver once in each process: it loads its models."""
    return Solver(extractor, classifier, method)


def solve_all(tasks: Sequence[Task], jobs: int = 1, cluster: str | None = None) -> Iterator[Answer]:
    """Solve photos, several at a time.

    Parameters
    ----------
    tasks : sequence of Task
        The photos.
    jobs : int
        Processes on this machine; 1 solves in this one.
    cluster : str, optional
        The address of a Dask scheduler, whose workers are taken instead; they must see the same files.

    Yields
    ------
    dict
        The answers, in order, each as soon as it and those before it are there. A photo whose worker dies is tried
        once more, alone; if that dies too, the answer says so.

    Raises
    ------
    ClusterError
        If there is no cluster there, or Dask is not installed.
    """
    if cluster is not None:
        yield from _on_cluster(tasks, cluster)
    elif jobs == 1 or len(tasks) == 1:
        # One photo alone may take all cores; of many, each takes one, however many are solved at a time.
        yield from ((_on_one_core(task) if len(tasks) > 1 else task()) for task in tasks)
    else:
        for start in range(0, len(tasks), jobs * AT_A_TIME):
            yield from _by_workers(tasks[start : start + jobs * AT_A_TIME], jobs)


def _by_workers(tasks: Sequence[Task], jobs: int) -> Iterator[Answer]:
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    done = 0
    try:
        for answer in _parallel(jobs)(_calls(tasks)):
            yield answer
            done += 1
    except TerminatedWorkerError:
        # Which photo it was is not told: all that were not answered are tried again, each alone.
        for task in tasks[done:]:
            yield _alone(task)


def _alone(task: Task) -> Answer:
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    try:
        return next(iter(_parallel(2)(_calls([task]))))
    except TerminatedWorkerError:
        reason = "the process that solved it died twice; expected a photo that fits into memory, solve it alone"
        return {"image": task.name, "error": f"{task.name}: {reason}"}


def _on_cluster(tasks: Sequence[Task], address: str) -> Iterator[Answer]:
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError("a cluster needs Dask; install it by: pip install 'setml[dask]'") from None
    from joblib import parallel_config

    try:
        client = Client(address, timeout=10, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ClusterError(f"no Dask scheduler answers at {address} ({error}); expected tcp://host:8786") from None
    with client, parallel_config(backend="dask", client=client):
        yield from _parallel(-1)(_calls(tasks))


def _parallel(jobs: int) -> Parallel:
    from joblib import Parallel

    return Parallel(n_jobs=jobs, return_as="generator", batch_size=1)


def _calls(tasks: Sequence[Task]) -> Iterator[Any]:
    from joblib import delayed

    return (delayed(_on_one_core)(task) for task in tasks)


def _on_one_core(task: Callable[[], Answer]) -> Answer:
    with one_core():
        return task()
