from __future__ import annotations

import csv
import functools
import http.server
import io
import json
import shutil
import threading
import zipfile
from dataclasses import replace

import cv2
import numpy as np
import pytest

from setml import DECK, Card
from setml.classifiers import Heuristics
from setml.datasets import fetch as fetching
from setml.datasets.cards import draw_card
from setml.datasets.catalogue import DataSource, digest_of, read_catalogue
from setml.datasets.crops import LabelledCrops, cut_crops, list_crops, read_crops
from setml.datasets.decoys import draw_negatives
from setml.datasets.drawn import draw_crops
from setml.datasets.export import write_crops
from setml.datasets.fetch import FetchError, fetch
from setml.datasets.harden import WAYS, harden
from setml.datasets.negatives import cut_negatives
from setml.datasets.tables import draw_table
from setml.datasets.truth import TruthError, read_truth
from tests.test_cli import run


@pytest.fixture(scope="module")
def labelled(tmp_path_factory, table):
    """A folder with one drawn photograph and its truth."""
    folder = tmp_path_factory.mktemp("tables")
    cv2.imwrite(str(folder / "one.png"), table.image)
    (folder / "labels.json").write_text(json.dumps({"photos": {"one.png": table.to_dict()}}))
    return folder


def test_drawn_crops_are_every_card_as_often_and_the_same_each_time():
    crops = draw_crops(2, seed=3)
    assert sorted(crops.cards) == sorted([*DECK, *DECK])
    assert crops.digest == draw_crops(2, seed=3).digest
    assert crops.digest != draw_crops(2, seed=4).digest


def test_drawn_crops_show_the_cards_they_are_said_to_show():
    crops = draw_crops(1, seed=5)
    assert (
        np.mean([said == true for said, true in zip(Heuristics().predict(crops.images), crops.cards, strict=True)])
        > 0.95
    )


def test_cards_are_cut_out_by_their_true_corners(labelled, table):
    crops = cut_crops(read_truth(labelled), copies=2, jitter=0.01)
    assert crops.cards == [card for card in table.cards for _ in range(2)]
    assert Heuristics().predict(crops.images) == crops.cards
    assert set(crops.photos) == {f"{labelled.name}/one.png"}


def test_what_is_no_card_is_cut_beside_the_cards(labelled):
    others = cut_negatives(read_truth(labelled), each=12, seed=1)
    assert len(others) == 12
    assert not others.is_card.any()
    assert others.cards == [None] * 12
    assert set(others.editions) == {"classic"}
    assert set(others.photos) == {f"{labelled.name}/one.png"}
    assert (Heuristics().read(others.images).is_card < 0.5).mean() > 0.7


def test_what_is_no_card_keeps_the_edition_of_its_photograph(tmp_path):
    table = draw_table(4, seed=2, edition="rectangle")
    cv2.imwrite(str(tmp_path / "one.png"), table.image)
    (tmp_path / "labels.json").write_text(json.dumps({"photos": {"one.png": table.to_dict()}}))
    assert set(cut_negatives(read_truth(tmp_path), each=4).editions) == {"rectangle"}


def test_drawn_negatives_are_told_from_cards_by_rule():
    assert (Heuristics().read(draw_negatives(64, seed=2).images).is_card < 0.5).mean() > 0.85


def test_a_folder_for_each_card_is_labelled_data(tmp_path):
    card = Card.from_code("2RTD")
    write_crops(LabelledCrops.of([draw_card(card, 180)], [card], "own", "train", "classic"), tmp_path)
    (tmp_path / "crops.csv").unlink()
    # A picture that lies on its side is turned.
    (picture,) = (tmp_path / "2RTD").iterdir()
    cv2.imwrite(str(tmp_path / "2RTD" / "broad.png"), cv2.rotate(cv2.imread(str(picture)), cv2.ROTATE_90_CLOCKWISE))
    crops = read_crops(list_crops(tmp_path))
    assert crops.cards == [card, card]
    assert crops.images.shape == (2, 280, 180, 3)
    assert Heuristics().predict(crops.images) == [card, card]


def test_written_crops_are_read_again(tmp_path):
    drawn = draw_crops(1, seed=1).take(np.arange(5))
    write_crops(LabelledCrops.join([drawn, draw_negatives(2)]), tmp_path)
    again = read_crops(list_crops(tmp_path))
    assert again.cards == drawn.cards
    assert (again.images == drawn.images).all()
    assert again.editions.tolist() == drawn.editions.tolist()
    with pytest.raises(FileExistsError):
        write_crops(drawn, tmp_path)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("file,card\na.png,2RTD\n", "no column path"),
        ("path,card\na.png,9RTD\n", "9RTD"),
    ],
)
def test_a_damaged_table_of_crops_is_refused_in_one_line(tmp_path, content, complaint):
    (tmp_path / "crops.csv").write_text(content)
    with pytest.raises(TruthError, match=complaint) as refused:
        list_crops(tmp_path)
    assert "\n" not in str(refused.value)


def test_a_folder_without_crops_is_refused(tmp_path):
    with pytest.raises(TruthError, match=r"2RTD/one\.jpg"):
        list_crops(tmp_path)


def test_arrays_of_different_lengths_are_refused():
    crops = draw_crops(1)
    with pytest.raises(ValueError, match="lengths differ"):
        replace(crops, values=crops.values[:3])


def test_the_catalogue_lists_only_sources_with_a_licence_and_learns_only_from_train():
    sources = read_catalogue()
    assert all(source.licence != "none stated" for source in sources.values())
    assert {source.split for source in sources.values()} == {"train", "val", "test"}
    assert all(len(source.commit) == 40 for source in sources.values())
    assert all(source.tables or source.crops for source in sources.values())
    permissive = {"MIT", "Apache-2.0"}
    assert {source.licence for source in sources.values() if source.split == "train"} <= permissive


def test_the_local_copy_is_as_the_catalogue_knows_it(real_tables):
    root = real_tables.parent
    assert {name: digest_of(root, name) for name in read_catalogue()} == {
        name: source.copy_sha256 for name, source in read_catalogue().items()
    }
    result = run("data", "verify", root)
    assert result.returncode == 0
    assert result.stdout.count("as it should be") == len(read_catalogue())


def test_a_changed_copy_is_noticed(tmp_path):
    (tmp_path / "crops" / "tomwhite").mkdir(parents=True)
    (tmp_path / "crops" / "tomwhite" / "one.jpg").write_bytes(b"something else")
    result = run("data", "fetch", "--from", tmp_path)
    assert result.returncode == 1
    assert "tomwhite" in result.stderr
    assert "changed" in result.stdout


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A source whose archive a server on this machine gives out, and the archive."""
    served = tmp_path / "served"
    served.mkdir()
    archive = served / "archive.zip"
    _, png = cv2.imencode(".png", draw_card(Card.from_code("3GOQ"), 60))
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("repository-1234/cards/three-green-empty/7_a.png", png.tobytes())
        files.writestr("repository-1234/LICENSE", "MIT")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(served))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(http.server.SimpleHTTPRequestHandler, "log_message", lambda *_: None)
    monkeypatch.setattr(DataSource, "address", property(lambda _: f"http://127.0.0.1:{server.server_port}/archive.zip"))
    yield (
        DataSource(
            name="somebody",
            repository="somebody/cards",
            commit="1234567890" * 4,
            licence="MIT",
            split="train",
            edition="classic",
            copy_sha256="",
            crops=r"cards/(?P<count>\w+)-(?P<color>\w+)-(?P<shading>\w+)/(?P<photo>\d+)_(?P<shape>\w)\.png",
            words={"three": "3", "empty": "open", "a": "squiggle"},
        ),
        archive,
    )
    server.shutdown()
    server.server_close()


def test_a_source_is_fetched_laid_out_and_verified(source, tmp_path):
    known, archive = source
    told: list[str] = []
    assert fetch([known], tmp_path / "data", told.append) == 1
    assert told == ["somebody: 1 crops, MIT"]
    (row,) = csv.DictReader(io.StringIO((tmp_path / "data/crops/crops.csv").read_text()))
    assert (row["card"], row["photo"], row["split"]) == ("3GOQ", "7", "train")
    crops = read_crops(list_crops(tmp_path / "data/crops"))
    assert crops.cards == [Card.from_code("3GOQ")]
    # What is there is not downloaded again.
    archive.write_bytes(b"")
    assert fetch([known], tmp_path / "data", told.append) == 1


def test_a_download_that_differs_from_the_first_is_refused(source, tmp_path):
    known, _ = source
    fetch([known], tmp_path / "data", lambda _: None)
    (fetched,) = (tmp_path / "data/archives").glob("*.zip")
    with zipfile.ZipFile(fetched.with_name("other.zip"), "w") as files:
        files.writestr("repository-1234/LICENSE", "another")
    shutil.copy(fetched.with_name("other.zip"), fetched)
    shutil.copy(fetched, source[1])
    with pytest.raises(FetchError, match="delete the file") as refused:
        fetch([known], tmp_path / "data", lambda _: None)
    assert "\n" not in str(refused.value)


def test_words_that_the_catalogue_does_not_explain_are_refused(source, tmp_path):
    known, _ = source
    with pytest.raises(FetchError, match="three"):
        fetch([replace(known, words={})], tmp_path / "data", lambda _: None)


def test_without_a_network_one_line_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(DataSource, "address", property(lambda _: "http://127.0.0.1:9/archive.zip"))
    with pytest.raises(FetchError, match="SETML_DATA") as refused:
        fetch([read_catalogue()["pascualy"]], tmp_path, lambda _: None)
    assert "\n" not in str(refused.value)
    assert fetching.CHECKSUMS not in [path.name for path in tmp_path.rglob("*")]


def test_the_commands_cut_draw_and_list(labelled, tmp_path):
    cut = run("data", "cut", labelled, tmp_path / "cut", "--copies", 2, "--jitter", 0.01, "--negatives", 3)
    assert cut.returncode == 0, cut.stderr
    assert len(list((tmp_path / "cut").rglob("*.png"))) == 27
    assert len(list((tmp_path / "cut" / "not-a-card").iterdir())) == 3
    again = run("data", "cut", labelled, tmp_path / "cut")
    assert again.returncode == 2
    assert "--overwrite" in again.stderr
    assert run("data", "draw", tmp_path / "drawn", "--crops", 1).stdout == f"81 crops in {tmp_path / 'drawn'}\n"
    listed = run("data", "list", "--split", "train").stdout
    assert "tomwhite" in listed
    assert "pclewis" not in listed
    nothing = run("data", "cut", labelled, tmp_path / "x", "--split", "val")
    assert nothing.returncode == 2
    assert len(nothing.stderr.splitlines()) == 1


def test_photographs_are_made_harder_and_keep_their_truth(labelled, tmp_path):
    for name in ("one", "two"):
        result = run("data", "harden", labelled, tmp_path / name)
        assert result.returncode == 0, result.stderr
    (old,), (new,), (again,) = (read_truth(folder) for folder in (labelled, tmp_path / "one", tmp_path / "two"))
    assert new.cards == old.cards
    assert np.allclose(new.corners / (new.width, new.height), old.corners / (old.width, old.height), atol=1e-3)
    assert new.path.read_bytes() == again.path.read_bytes() != old.path.read_bytes()
    assert run("data", "harden", labelled, tmp_path / "one").returncode != 0


def test_corners_of_photographs_made_harder_lie_where_they_lay(table, tmp_path):
    photos = {f"{place}.png": table.to_dict() for place in range(len(WAYS))}
    for name in photos:
        cv2.imwrite(str(tmp_path / name), table.image)
    (tmp_path / "labels.json").write_text(json.dumps({"photos": photos}))
    harden(read_truth(tmp_path), tmp_path / "harder")
    harder = read_truth(tmp_path / "harder")
    assert sorted(truth.edition for truth in harder) == sorted(WAYS)
    size = table.image.shape[1::-1]
    for truth in harder:
        back, _ = cv2.estimateAffine2D(truth.corners.reshape(-1, 2), table.corners.reshape(-1, 2))
        image = cv2.warpAffine(cv2.imread(str(truth.path)), back, size, flags=cv2.INTER_AREA)
        old, new = (
            cv2.GaussianBlur(cv2.cvtColor(each, cv2.COLOR_BGR2GRAY), (0, 0), 6) for each in (table.image, image)
        )
        assert np.corrcoef(old.ravel(), new.ravel())[0, 1] > 0.9, truth.edition


def test_labels_are_reviewed_the_doubtful_first_and_dropped_without_loss(tmp_path, capsys):
    from setml.cli import main

    folder = tmp_path / "corrections"
    write_crops(draw_crops(1, seed=3).take(np.arange(0, 81, 9)), folder)
    (folder / "crops.csv").unlink()
    right = sorted(folder.glob("*/*"))
    wrong = folder / "3PSQ" / "wrong.png"
    wrong.parent.mkdir(exist_ok=True)
    wrong.write_bytes(next(path for path in right if path.parent.name == "1RSD").read_bytes())
    page = tmp_path / "review.png"

    def review(*arguments: str) -> list[str]:
        with pytest.raises(SystemExit) as stopped:
            main(["data", "review", str(folder), *arguments])
        assert stopped.value.code == 0
        return capsys.readouterr().out.splitlines()

    told = review("-o", str(page))
    assert told[0].split()[1] == "3PSQ/wrong.png"
    assert "read as 1 solid red diamond" in told[0]
    assert told[-1] == f"{len(right) + 1} crops, 1 read otherwise"
    assert cv2.imread(str(page)) is not None
    assert review("--drop", "3PSQ/wrong.png")[-1] == f"{len(right)} crops, 0 read otherwise"
    assert (tmp_path / "corrections-dropped" / "3PSQ" / "wrong.png").is_file()
    with pytest.raises(SystemExit) as stopped:
        main(["data", "review", str(folder), "--drop", "../elsewhere.png"])
    assert stopped.value.code == 2
