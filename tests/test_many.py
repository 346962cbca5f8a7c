from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from setml.many import Answer, ClusterError, Task, solve_all
from tests.conftest import ROOT
from tests.test_cli import run

SAMPLES = ROOT / "data" / "samples"
NAMES = ("wood", "dark", "no-set")


@dataclass(frozen=True)
class Deadly(Task):
    """A photo whose worker dies: the first time only, or each time."""

    marker: Path = Path()
    always: bool = False

    def __call__(self) -> Answer:
        if self.always or not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"image": self.name, "cards": []}


def tasks() -> list[Task]:
    return [Task(name, str(SAMPLES / f"{name}.jpg"), classifier="heuristics", extractor="contours") for name in NAMES]


def plain(answer: Answer) -> Answer:
    return {key: value for key, value in answer.items() if key != "seconds"}


def test_two_processes_answer_as_one_does_in_order():
    one, two = ([plain(answer) for answer in solve_all(tasks(), jobs)] for jobs in (1, 2))
    assert [answer["image"] for answer in two] == list(NAMES)
    assert one == two


def test_a_photo_whose_worker_died_is_tried_once_more(tmp_path):
    deadly = Deadly("once", "", marker=tmp_path / "once")
    lethal = Deadly("always", "", marker=tmp_path / "always", always=True)
    first, *rest = tasks()
    answers = list(solve_all([first, deadly, lethal, *rest], jobs=2))
    assert [answer["image"] for answer in answers] == ["wood", "once", "always", "dark", "no-set"]
    assert ["error" in answer for answer in answers] == [False, False, True, False, False]
    assert "died twice" in answers[2]["error"]


# Dask's own threads and sockets are not of this project.
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_of_two_workers_answers_as_one_process_does():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        answers = [plain(answer) for answer in solve_all(tasks(), cluster=cluster.scheduler_address)]
    assert answers == [plain(answer) for answer in solve_all(tasks())]


@pytest.mark.filterwarnings("ignore")
def test_no_cluster_is_one_line():
    with pytest.raises(ClusterError, match="no Dask scheduler answers at nowhere"):
        list(solve_all(tasks(), cluster="nowhere:1:2"))


def test_an_interrupted_run_goes_on(tmp_path):
    lines = tmp_path / "all.jsonl"
    photos = [SAMPLES / f"{name}.jpg" for name in NAMES]
    bad = tmp_path / "bad.jpg"
    bad.write_bytes(b"no photo")
    assert run("solve", photos[0], bad, "--resume", lines).returncode == 1
    with lines.open("a") as file:
        file.write('{"image": "cut in the mid')
    bad.write_bytes(photos[1].read_bytes())
    before = lines.read_text().splitlines()[0]
    result = run("solve", photos[0], bad, photos[2], "--resume", lines)
    assert (result.returncode, result.stdout) == (0, "")
    told = lines.read_text().splitlines()
    assert told[0] == before
    assert [json.loads(line)["image"] for line in told] == [str(photos[0]), str(bad), str(photos[2])]
    assert run("solve", *photos[:1], bad, photos[2], "--resume", lines).returncode == 0
    assert lines.read_text().splitlines() == told


def test_a_run_with_pictures_goes_on(tmp_path):
    photos = [SAMPLES / "wood.jpg", SAMPLES / "dark.jpg"]
    told = ["--resume", tmp_path / "all.jsonl", "-o", tmp_path / "sets"]
    (tmp_path / "sets").mkdir()
    for upto in (1, 2):
        result = run("solve", *photos[:upto], *told)
        assert result.returncode == 0, result.stderr
    assert sorted(path.name for path in (tmp_path / "sets").iterdir()) == ["dark-sets.jpg", "wood-sets.jpg"]


def test_a_file_of_something_else_is_not_touched(tmp_path):
    diary = tmp_path / "diary.txt"
    diary.write_text("Dear diary,\ntoday I played SET.\n")
    result = run("solve", SAMPLES / "wood.jpg", "--resume", diary)
    assert result.returncode == 2
    assert "line 1 is no answer of setml" in result.stderr
    assert diary.read_text() == "Dear diary,\ntoday I played SET.\n"
