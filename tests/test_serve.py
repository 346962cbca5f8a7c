from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from starlette.testclient import TestClient

from setml import Card, Solution, Solver
from setml.model import ModelError
from setml.serve import Limits, make_app
from setml.serve.openapi import OPENAPI
from tests.conftest import ROOT

WOOD = (ROOT / "data" / "samples" / "wood.jpg").read_bytes()
JPEG = {"Content-Type": "image/jpeg"}


@pytest.fixture(scope="module")
def solver():
    return Solver()


@pytest.fixture(scope="module")
def client(solver):
    with TestClient(make_app(solver=solver)) as client:
        yield client


def is_problem(answer, status: int) -> bool:
    told = answer.json()
    return (
        answer.status_code == status
        and answer.headers["content-type"] == "application/problem+json"
        and set(told) == {"type", "title", "status", "detail"}
        and told["status"] == status
        and "\n" not in told["detail"]
    )


def test_a_photo_is_answered_as_the_command_line_does(client, solver):
    answer = client.post("/api/solve", content=WOOD, headers=JPEG)
    assert answer.status_code == 200
    told, expected = answer.json(), solver.solve(WOOD).to_dict()
    assert {**told, "seconds": 0} == {**expected, "seconds": 0}
    assert Solution.from_dict(told).sets


def test_health_and_the_documentation(client):
    assert client.get("/api/health").json()["status"] == "ok"
    assert client.get("/api/openapi.json").json() == OPENAPI


def test_every_path_is_documented_and_every_documented_path_is_there(client):
    served = {route.path for route in client.app.routes if route.path.startswith("/api/")}
    assert served - {"/api/openapi.json", "/api/live"} == set(OPENAPI["paths"])


def test_answers_fit_their_documentation(client):
    import jsonschema

    schemas = {"$defs": OPENAPI["components"]["schemas"]}
    text = json.dumps({"$ref": "#/components/schemas/Solution", **schemas}).replace("#/components/schemas/", "#/$defs/")
    jsonschema.validate(client.post("/api/solve", content=WOOD).json(), json.loads(text))


def test_the_page_and_its_files_are_served_with_security_headers(client):
    for path in ("/", "/page/main.js", "/page/style.css", "/api/health"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/page/../app.py", "/page/%2e%2e/app.py", "/page/..%2fapp.py", "/etc/passwd", "/page/"]
)
def test_nothing_but_the_page_is_served(client, path):
    assert is_problem(client.get(path), 404)


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "image/jpeg", 415),
        (b"GIF89a", "image/gif", 415),
        (b"hello", "text/plain", 415),
        (b"hello", "image/jpeg", 415),
        (WOOD[:5000], "image/jpeg", 422),
        (WOOD, "multipart/form-data; boundary=x", 415),
    ],
)
def test_what_is_no_photo_is_a_problem_of_one_line(client, body, kind, status):
    assert is_problem(client.post("/api/solve", content=body, headers={"Content-Type": kind}), status)


def test_wrong_methods_and_unknown_paths(client):
    assert is_problem(client.get("/api/solve"), 405)
    assert is_problem(client.post("/api/nothing"), 404)


def test_too_many_bytes_and_pixels(solver):
    with TestClient(make_app(Limits(upload=1000), solver=solver)) as client:
        assert is_problem(client.post("/api/solve", content=WOOD), 413)
        # Said to be small, or not said at all.
        assert is_problem(client.post("/api/solve", content=(WOOD[i : i + 300] for i in range(0, 3000, 300))), 413)
    bomb = io.BytesIO()
    Image.new("1", (20_000, 20_000)).save(bomb, "PNG")
    with TestClient(make_app(solver=solver)) as client:
        assert is_problem(client.post("/api/solve", content=bomb.getvalue()), 413)


class Slow(Solver):
    """Solves when it is told to go on."""

    def __init__(self) -> None:
        super().__init__(classifier="heuristics")
        self.started, self.go_on = threading.Semaphore(0), threading.Event()

    def solve(self, photo):
        self.started.release()
        self.go_on.wait(20)
        return super().solve(photo)


def test_more_than_the_queue_holds_is_refused_and_what_was_taken_is_done():
    slow = Slow()
    with (
        TestClient(make_app(Limits(workers=1, waiting=1, each=3), solver=slow)) as client,
        ThreadPoolExecutor(2) as pool,
    ):
        taken = [pool.submit(client.post, "/api/solve", content=WOOD)]
        slow.started.acquire()
        taken.append(pool.submit(client.post, "/api/solve", content=WOOD))
        while client.app.state.workers._taken < 2:
            time.sleep(0.01)
        refused = client.post("/api/solve", content=WOOD)
        assert is_problem(refused, 503)
        assert int(refused.headers["retry-after"]) >= 1
        slow.go_on.set()
        assert [answer.result().status_code for answer in taken] == [200, 200]
        assert client.post("/api/solve", content=WOOD).status_code == 200


def test_too_many_requests_of_one_address():
    slow = Slow()
    with (
        TestClient(make_app(Limits(workers=1, waiting=5, each=1), solver=slow)) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        taken = pool.submit(client.post, "/api/solve", content=WOOD)
        slow.started.acquire()
        refused = client.post("/api/solve", content=WOOD)
        slow.go_on.set()
        assert is_problem(refused, 429)
        assert refused.headers["retry-after"] == "1"
        assert taken.result().status_code == 200


def test_a_photo_that_takes_too_long():
    slow = Slow()
    with TestClient(make_app(Limits(workers=1, seconds=0.2), solver=slow)) as client:
        late = client.post("/api/solve", content=WOOD)
        slow.go_on.set()
        assert is_problem(late, 503)
        assert "retry-after" in late.headers


def test_a_picture_that_a_browser_cannot_show_becomes_a_jpeg(client):
    tiff = io.BytesIO()
    Image.new("RGB", (1800, 1200), "green").save(tiff, "TIFF")
    answer = client.post("/api/picture", content=tiff.getvalue())
    assert answer.headers["content-type"] == "image/jpeg"
    assert max(Image.open(io.BytesIO(answer.content)).size) == 1600


def corner_text(found) -> str:
    return ",".join(f"{number:.1f}" for number in np.ravel(found.corners))


def test_corrections_become_crops_that_training_takes(solver, tmp_path):
    from setml.datasets.crops import list_crops, read_crops

    found = solver.solve(WOOD).cards[0]
    with TestClient(make_app(keep=tmp_path / "kept", solver=solver)) as client:
        assert client.get("/api/health").json()["keeps_corrections"]
        query = {"card": "2RTD", "corners": corner_text(found)}
        assert client.post("/api/corrections", params=query, content=WOOD).status_code == 204
    (kept,) = list_crops(tmp_path / "kept")
    assert kept.card == Card.from_code("2RTD")
    crop = read_crops([kept]).images[0]
    assert solver.classifier.read(crop[None]).values[0].argmax(axis=1).tolist() == list(found.card.places)


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"card": "9XYZ", "corners": "0,0,50,0,50,80,0,80"}, 422),
        ({"card": "../../etc", "corners": "0,0,50,0,50,80,0,80"}, 422),
        ({"card": "2RTD", "corners": "1,2,3"}, 422),
        ({"card": "2RTD", "corners": "nan,0,50,0,50,80,0,80"}, 422),
        ({"card": "2RTD", "corners": "0,0,9e9,0,9e9,9e9,0,9e9"}, 422),
        ({"card": "2RTD", "corners": "0,0,1,0,1,1,0,1"}, 422),
        ({}, 422),
    ],
)
def test_bad_corrections_write_nothing(solver, tmp_path, query, status):
    with TestClient(make_app(keep=tmp_path / "kept", solver=solver)) as client:
        assert is_problem(client.post("/api/corrections", params=query, content=WOOD), status)
    assert not (tmp_path / "kept").exists()


def test_corrections_are_refused_where_none_are_kept_and_from_pages_of_others(client, solver, tmp_path):
    query = {"card": "2RTD", "corners": "0,0,50,0,50,80,0,80"}
    assert is_problem(client.post("/api/corrections", params=query, content=WOOD), 403)
    with TestClient(make_app(keep=tmp_path / "kept", solver=solver)) as keeping:
        headers = {"Origin": "http://elsewhere.example"}
        assert is_problem(keeping.post("/api/corrections", params=query, content=WOOD, headers=headers), 403)
    assert not (tmp_path / "kept").exists()


def test_a_live_camera_is_followed(client):
    with client.websocket_connect("/api/live") as socket:
        answers = []
        for _ in range(3):
            socket.send_bytes(WOOD)
            answers.append(socket.receive_json())
        socket.send_bytes(b"no picture")
        assert "error" in socket.receive_json()
        socket.send_bytes(WOOD)
        answers.append(socket.receive_json())
    assert [len(answer["cards"]) for answer in answers] == [0, 12, 12, 12]
    assert [answer["has_changed"] for answer in answers] == [False, True, False, False]
    assert answers[-1]["names"] == answers[1]["names"]
    assert len(answers[-1]["sets"]) == len(Solution.from_dict(answers[-1]).sets) > 0


def test_a_live_camera_of_another_page_is_refused(client):
    from starlette.websockets import WebSocketDisconnect

    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/api/live", headers={"Origin": "http://elsewhere.example"}),
    ):
        pass


def pictures() -> list[bytes]:
    rng, made = np.random.default_rng(0), []
    image = Image.fromarray(rng.integers(0, 256, (40, 60, 3), np.uint8))
    for kind in ("JPEG", "PNG", "WEBP", "BMP", "TIFF", "AVIF", "GIF"):
        file = io.BytesIO()
        image.save(file, kind)
        made.append(file.getvalue())
    return made


PICTURES = pictures()
WRITTEN: list[str] = []
WATCHED = threading.Event()


def watch(event: str, arguments: tuple) -> None:
    if event == "open" and WATCHED.is_set() and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        WRITTEN.append(str(arguments[0]))


@pytest.fixture(scope="module")
def watched():
    """Note each file that is opened to be written; in the end no memory has leaked."""
    process = psutil.Process()
    before = process.memory_info().rss
    sys.addaudithook(watch)
    WATCHED.set()
    yield WRITTEN
    WATCHED.clear()
    assert process.memory_info().rss - before < 64 * 2**20


@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    base=st.sampled_from(PICTURES),
    cuts=st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=8)), max_size=4),
    keep=st.floats(0, 1),
    tail=st.binary(max_size=64),
    kind=st.sampled_from(["image/jpeg", "application/octet-stream", "image/heic", "text/html", "", "image/../../x"]),
)
def test_damaged_and_hostile_uploads_are_answered_and_nothing_is_written(client, watched, base, cuts, keep, tail, kind):
    body = bytearray(base)
    for at, piece in cuts:
        place = int(at * len(body))
        body[place : place + len(piece)] = piece
    body = bytes(body[: int(keep * len(body)) + 1]) + tail
    answer = client.post("/api/solve", content=body, headers={"Content-Type": kind} if kind else {})
    assert answer.status_code in (200, 413, 415, 422)
    assert watched == []
    if answer.status_code != 200:
        assert is_problem(answer, answer.status_code)


@pytest.fixture
def process():
    command = [sys.executable, "-m", "setml", "serve", "--port", "0", "--workers", "1", "--waiting", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        line = running.stdout.readline()
        yield running, line.split()[3]
        running.kill()


def test_stopped_under_load_it_finishes_what_it_took(process):
    import http.client

    running, address = process
    host = address.removeprefix("http://")

    def ask() -> int:
        with closing(http.client.HTTPConnection(host, timeout=60)) as connection:
            connection.request("POST", "/api/solve", WOOD, JPEG)
            answer = connection.getresponse()
            answer.read()
            return answer.status

    assert ask() == 200
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(ask) for _ in range(4)]
        while not any(answer.done() for answer in asked):
            time.sleep(0.005)
        running.send_signal(signal.SIGINT)
        answers = [answer.result() for answer in asked]
    assert set(answers) <= {200, 503}
    assert answers.count(200) >= 1
    running.wait(30)
    assert "Traceback" not in running.stderr.read()


def test_for_the_network_the_address_is_a_code_to_scan():
    command = [sys.executable, "-m", "setml", "serve", "--lan", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout.readline().startswith("setml is at http://")
        code = [running.stdout.readline() for _ in range(12)]
        running.kill()
    assert all(set(line.strip()) & set("█▀▄") for line in code)


@pytest.mark.parametrize("arguments", [["--port", "99999"], ["--host", "192.0.2.1", "--port", "8001"]])
def test_an_address_that_cannot_be_had_is_misuse(arguments, capsys):
    from setml.cli import main

    with pytest.raises(SystemExit) as stopped:
        main(["serve", *arguments])
    assert stopped.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_server_with_a_damaged_model_does_not_start(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "models/cnn", tmp_path / "cnn")
    shutil.copytree(ROOT / "models/finder", tmp_path / "finder")
    (tmp_path / "finder/refiner-2.onnx").write_bytes(b"no model")
    monkeypatch.setenv("SETML_MODELS", str(tmp_path))
    with pytest.raises(ModelError, match=r"refiner-2\.onnx: cannot be loaded"):
        make_app()
