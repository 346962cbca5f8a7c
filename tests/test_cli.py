from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import cv2
import pytest

from setml import __version__
from setml.cli import cli
from setml.extractors import EXTRACTORS
from tests.conftest import ROOT

SAMPLE = ROOT / "data" / "samples" / "wood.jpg"


def run(*arguments: object, cwd: Path | None = None, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "setml", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment, **options)


def test_cards_and_sets_are_said_as_a_person_would():
    result = run("solve", SAMPLE)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == f"{SAMPLE}: 12 cards, 3 sets"
    assert len(lines) == 1 + 1 + 12 + 1 + 3
    assert lines[-1].count(",") == 2
    assert result.stderr == ""


def test_a_table_without_a_set_says_so():
    assert "12 cards, no set" in run("solve", SAMPLE.with_name("no-set.jpg")).stdout


def test_folders_patterns_and_jobs_keep_the_order(tmp_path):
    for name in ("c.jpg", "a.jpg", "b.JPG"):
        shutil.copy(SAMPLE, tmp_path / name)
    (tmp_path / "notes.txt").write_text("no photo")
    for arguments in ((tmp_path,), (tmp_path / "*.[jJ]*",), (tmp_path, "--jobs", 2)):
        result = run("solve", "--json", *arguments)
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        assert [Path(answer["image"]).name for answer in answers] == ["a.jpg", "b.JPG", "c.jpg"]
        assert [len(answer["sets"]) for answer in answers] == [3, 3, 3]
        assert result.stderr == ""


def test_standard_input():
    result = subprocess.run(
        [sys.executable, "-m", "setml", "solve", "-", "--json"],
        input=SAMPLE.read_bytes(),
        capture_output=True,
        cwd=ROOT,
        check=True,
    )
    answer = json.loads(result.stdout)
    assert answer["image"] == "-"
    assert len(answer["cards"]) == 12


@pytest.mark.parametrize("method", ["key", "triples"])
def test_methods_and_parts_by_name(method):
    result = run("solve", SAMPLE, "--method", method, "--extractor", "contours", "--classifier", "heuristics")
    assert "3 sets" in result.stdout


def test_pictures_are_written_but_never_over_a_file(tmp_path):
    photo, picture = tmp_path / "a.jpg", tmp_path / "sets.png"
    shutil.copy(SAMPLE, photo)
    assert run("solve", photo, "-o", picture).returncode == 0
    written = picture.read_bytes()
    assert cv2.imread(str(picture)).shape[1] == cv2.imread(str(photo)).shape[1]
    refused = run("solve", photo, "-o", picture)
    assert refused.returncode == 2
    assert "--overwrite" in refused.stderr
    assert picture.read_bytes() == written
    assert run("solve", photo, "-o", picture, "--overwrite").returncode == 0
    for way in ((photo, "-o", photo, "--overwrite"), (tmp_path / "." / "a.jpg", photo, "-o", photo, "--overwrite")):
        refused = run("solve", *way)
        assert refused.returncode == 2
    assert photo.read_bytes() == SAMPLE.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jpg", "sets.png"]


def test_pictures_of_several_photos_go_to_a_folder(tmp_path):
    (tmp_path / "x").mkdir()
    for name in ("a.jpg", "x/a.jpg"):
        shutil.copy(SAMPLE, tmp_path / name)
    result = run("solve", tmp_path, "-o", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a-sets-2.jpg", "a-sets.jpg"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_show_says_plainly_where_there_is_no_display(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    result = run("solve", SAMPLE, "--show")
    assert result.returncode == 2
    assert "no display" in result.stderr


def test_version():
    assert run("--version").stdout.strip() == f"setml, version {__version__}"


def commands(command: click.Command, path: tuple[str, ...] = ()):
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), (*path, name))


@pytest.mark.parametrize(
    ("path", "command"), list(commands(cli)), ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_every_command_has_help_with_an_example_and_every_option_is_explained(path, command):
    help_text = run(*path, "--help").stdout
    assert command.help
    if not isinstance(command, click.Group) or not path:
        assert "Example" in help_text
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name


def test_every_command_is_in_the_readme():
    text = (ROOT / "README.md").read_text()
    for path, command in commands(cli):
        if path and not isinstance(command, click.Group):
            assert f"setml {' '.join(path)}" in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell, monkeypatch):
    monkeypatch.setenv("_SETML_COMPLETE", f"{shell}_source")
    assert "_SETML_COMPLETE" in run().stdout


def test_solving_imports_no_library_of_training():
    code = (
        "import sys; from setml.cli import main\n"
        f"try: main(['solve', {str(SAMPLE)!r}])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "print([m for m in ('tensorflow', 'sklearn', 'pandas', 'matplotlib', 'joblib', 'rich') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert result.stdout.splitlines()[-1] == "[]", result.stderr


def test_the_rule_of_the_game_imports_no_image_library():
    code = "import sys, setml; setml.find_sets(setml.DECK); print('cv2' in sys.modules, 'PIL' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert result.stdout.strip() == "False False"


def test_tables_are_drawn_with_their_truth_and_compared(tmp_path):
    assert run("data", "draw", tmp_path / "t", "--tables", 2, "--cards", 6, "--seed", 4).returncode == 0
    truth = json.loads((tmp_path / "t" / "labels.json").read_text())["photos"]
    assert [len(photo["cards"]) for photo in truth.values()] == [6, 6]
    refused = run("data", "draw", tmp_path / "t", "--tables", 2, "--cards", 6, "--seed", 4)
    assert refused.returncode == 2
    assert "--overwrite" in refused.stderr
    result = run("eval", tmp_path / "t", "--classifier", "heuristics", "--output", tmp_path / "reports")
    assert result.returncode == 0, result.stderr
    assert "| contours" in result.stdout
    assert "## Tables by split" in (tmp_path / "reports" / "comparison.md").read_text()
    assert "| finder" in result.stdout
    # A line of names, then one for each photograph and extractor.
    assert len((tmp_path / "reports" / "photos.csv").read_text().splitlines()) == 1 + 2 * len(EXTRACTORS)
