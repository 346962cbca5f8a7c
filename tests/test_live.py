from __future__ import annotations

import cv2
import numpy as np
import pytest

from setml import DECK, Card, Solver, draw_table
from setml.cli import main
from setml.datasets.cards import draw_card
from setml.datasets.tables import draw_surface
from setml.track import Tracker

RATE = 10


MOVING = Card.from_code("2PTQ")


@pytest.fixture(scope="module")
def film() -> tuple[list[np.ndarray], tuple[Card, ...]]:
    """Film nine still cards and a moving one with a shaking hand; from the third second on another hand passes over."""
    rng, pictures = np.random.default_rng(0), []
    table = draw_table([card for card in DECK[::9] if card != MOVING], seed=5, size=(960, 720), surface="wood", tilt=15)
    beside = np.clip(draw_surface("wood", 320, 720, rng), 0, 255).astype(np.uint8)
    card = draw_card(MOVING, 110)
    for place in range(6 * RATE):
        picture = np.hstack([table.image, beside])
        top = round(60 + 400 * abs(place / (2 * RATE) % 2 - 1))
        picture[top : top + card.shape[0], 1070 : 1070 + card.shape[1]] = card
        if 3 * RATE <= place < 5 * RATE:
            at = (-150 + (place - 3 * RATE) * 80, 430)
            cv2.ellipse(picture, at, (90, 200), 20, 0, 360, (120, 150, 205), -1, cv2.LINE_AA)
        shake = np.array([[1, 0, rng.normal(0, 0.8)], [0, 1, rng.normal(0, 0.8)]])
        picture = cv2.warpAffine(picture, shake, (1280, 720), borderMode=cv2.BORDER_REFLECT)
        noisy = picture + rng.normal(0, 5, picture.shape)
        pictures.append(np.clip(noisy, 0, 255).astype(np.uint8))
    return pictures, table.cards


def test_from_the_second_second_on_no_reading_of_a_still_card_flickers(film):
    pictures, cards = film
    solver, tracker, names = Solver(), Tracker(), {}
    for place, picture in enumerate(pictures):
        tracked = tracker.update(solver.solve(picture), place / RATE)
        if place < RATE:
            continue
        shown = {found.card: name for found, name in zip(tracked.solution.cards, tracked.names, strict=True)}
        assert set(cards) <= set(shown) <= {*cards, MOVING}
        names = names or shown
        assert [shown[card] for card in cards] == [names[card] for card in cards]


def write(film, path):
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), RATE, (1280, 720))
    for picture in film[0][:15]:
        writer.write(picture)
    writer.release()


def test_a_video_file_becomes_an_annotated_one(film, tmp_path, capsys):
    source, output = tmp_path / "game.mp4", tmp_path / "out" / "sets.mp4"
    write(film, source)
    with pytest.raises(SystemExit) as stopped:
        main(["live", str(source), "-o", str(output)])
    assert stopped.value.code == 0
    assert "10 cards" in capsys.readouterr().out
    written = cv2.VideoCapture(str(output))
    assert written.get(cv2.CAP_PROP_FRAME_COUNT) == 15
    assert [path.name for path in output.parent.iterdir()] == ["sets.mp4"]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["nothing.mp4", "-o", "sets.mp4"], 1),
        (["game.mp4", "-o", "sets.avi"], 2),
        (["game.mp4", "-o", "game.mp4"], 2),
        (["game.mp4", "-o", "there.mp4"], 2),
        (["letter.mp4", "-o", "sets.mp4"], 1),
    ],
)
def test_bad_videos_are_one_line(film, tmp_path, monkeypatch, capfd, arguments, status):
    monkeypatch.chdir(tmp_path)
    write(film, tmp_path / "game.mp4")
    (tmp_path / "there.mp4").write_bytes(b"mine")
    (tmp_path / "letter.mp4").write_bytes(b"Dear Sir")
    with pytest.raises(SystemExit) as stopped:
        main(["live", *arguments])
    assert stopped.value.code == status
    told = [line for line in capfd.readouterr().err.splitlines() if line.startswith("setml: ")]
    assert len(told) == 1
    assert (tmp_path / "there.mp4").read_bytes() == b"mine"
    assert not (tmp_path / "sets.mp4").exists()
