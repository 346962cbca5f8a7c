"""The page in a real browser: Debian's chromium by playwright; skipped where there is none."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from setml import DECK, draw_table
from setml.datasets.samples import SAMPLES
from setml.datasets.truth import read_truth
from setml.sets import find_sets
from tests.conftest import ROOT

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")

WOOD = ROOT / "data" / "samples" / "wood.jpg"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
]


@pytest.fixture(scope="module")
def video(tmp_path_factory) -> Path:
    """A camera's picture: nine cards on wood."""
    path = tmp_path_factory.mktemp("camera") / "table.y4m"
    image = draw_table(9, seed=5, size=(640, 480), surface="wood", tilt=12).image
    y, cr, cb = cv2.split(cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb))
    small = [cv2.resize(plane, (320, 240), interpolation=cv2.INTER_AREA).tobytes() for plane in (cb, cr)]
    with path.open("wb") as file:
        file.write(b"YUV4MPEG2 W640 H480 F10:1 Ip A1:1 C420jpeg\n")
        for _ in range(10):
            file.write(b"FRAME\n" + y.tobytes() + b"".join(small))
    return path


@pytest.fixture(scope="module")
def browser(video):
    with playwright.sync_playwright() as manager:
        flags = [*FLAGS, f"--use-file-for-fake-video-capture={video}"]
        browser = manager.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def address(kept) -> Iterator[str]:
    import socket

    import uvicorn

    from setml.serve import make_app

    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(make_app(keep=kept), log_level="warning"))
    running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    running.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    running.join()
    listening.close()


class Visitor:
    """One page, and what went wrong on it."""

    def __init__(self, browser, address: str, **options) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 390, "height": 844}, "locale": "en-US", **options})
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.page.on("console", lambda m: self.faults.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda request: self._check(request.url, address))
        self.page.goto(address)

    def _check(self, url: str, address: str) -> None:
        if not url.startswith((address, f"blob:{address}", "data:")):
            self.faults.append(f"a request to {url}")

    def open(self, path: Path) -> None:
        self.page.set_input_files("#file", path)
        self.page.wait_for_selector("#panel:visible")
        self.page.wait_for_selector("#busy", state="hidden")

    def say(self) -> str:
        return self.page.inner_text("#answer")


@pytest.fixture
def visit(browser, address):
    visitors = []

    def open_page(**options) -> Visitor:
        visitors.append(Visitor(browser, address, **options))
        return visitors[-1]

    yield open_page
    faults = [fault for visitor in visitors for fault in visitor.faults]
    for visitor in visitors:
        visitor.context.close()
    assert faults == []


@pytest.fixture(scope="module")
def truth():
    truths = {truth.path.stem: truth for truth in read_truth(ROOT / "data" / "samples")}
    assert set(truths) == set(SAMPLES)
    return truths["wood"]


def test_a_photo_is_answered_and_hints_tell_more_and_more(visit, truth):
    player = visit()
    player.open(WOOD)
    page = player.page
    assert player.say() == "Yes, there is a set."
    assert page.locator("#overlay .card").count() == len(truth.cards)
    assert page.locator("#overlay .ring").count() == 0
    for told in (1, 2, 3):
        page.click("#hint")
        assert page.locator("#overlay .ring").count() == told
    sets = len(find_sets(truth.cards))
    assert player.say() == f"Set 1 of {sets}"
    assert page.locator("#why tr").count() == 4
    assert page.is_hidden("#hint")
    page.click("#next")
    assert player.say() == f"Set 2 of {sets}"
    page.click("#all")
    assert page.locator("#overlay .ring").count() == 3 * sets


def test_a_correction_changes_the_sets(visit, truth):
    player = visit()
    player.open(WOOD)
    page = player.page
    page.click("#all")
    before = page.locator("#sets li").count()
    first = set(page.locator("#sets button").first.get_attribute("aria-label").partition(": ")[2].split(", "))
    # A card of the first set becomes one that makes no set with the others.
    cards = [card for card in truth.cards if str(card) != min(first)]
    other = next(
        c for c in DECK if c not in truth.cards and not any(len(cards) in trio for trio in find_sets([*cards, c]))
    )
    page.locator(f"#overlay .card[aria-label^='{min(first)}:']").click(force=True)
    for value in (other.count, other.color, other.shading, other.shape):
        page.check(f"#choices input[value='{value}']", force=True)
    page.click("#editor button[value='save']")
    after = len(find_sets([*cards, other]))
    playwright.expect(page.locator("#sets li")).to_have_count(after)
    assert after < before


def test_cards_can_be_removed_and_added(visit, truth):
    player = visit()
    player.open(WOOD)
    page = player.page
    page.locator("#overlay .card").first.click(force=True)
    page.click("#remove")
    playwright.expect(page.locator("#overlay .card")).to_have_count(len(truth.cards) - 1)
    page.click("#add")
    box = page.locator("#overlay").bounding_box()
    page.mouse.click(box["x"] + 8, box["y"] + 8)
    page.check("#choices input[value='squiggle']", force=True)
    page.click("#editor button[value='save']")
    playwright.expect(page.locator("#overlay .card")).to_have_count(len(truth.cards))
    assert page.locator("#overlay .card[aria-label^='1 solid red squiggle']").count() >= 1


def test_a_card_added_on_top_of_another_is_asked_about_once(visit, truth):
    player = visit()
    player.open(WOOD)
    page = player.page
    page.click("#add")
    box = page.locator("#overlay .card").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.click("#editor button[value='save']")
    playwright.expect(page.locator("#overlay .card")).to_have_count(len(truth.cards) + 1)
    playwright.expect(page.locator("#editor")).to_be_hidden()


def test_after_a_file_that_is_no_photo_the_table_before_is_there_still(visit, tmp_path, truth):
    player = visit()
    player.open(WOOD)
    path = tmp_path / "letter.txt"
    path.write_text("Dear Sir")
    player.page.set_input_files("#file", path)
    player.page.wait_for_selector("#error:visible")
    playwright.expect(player.page.locator("#panel")).to_be_visible()
    assert player.page.locator("#overlay .card").count() == len(truth.cards)
    player.faults = [fault for fault in player.faults if "415" not in fault]


def test_uncertain_cards_are_asked_about_and_corrections_are_given_only_if_allowed(visit, kept):
    player = visit()
    page = player.page
    # An answer of which one card is uncertain.
    page.route("**/api/solve", lambda route: route.fulfill(json=_doubtful(route.fetch().json())))
    player.open(WOOD)
    assert page.inner_text("#doubt-text") == "One card could not be read for certain."
    page.click("#check")
    page.click("#editor button[value='save']")
    playwright.expect(page.locator("#doubt")).to_be_hidden()
    assert not list(kept.rglob("*.png"))
    player.open(WOOD)
    page.check("#share")
    page.click("#check")
    with page.expect_response("**/api/corrections*") as answer:
        page.click("#editor button[value='save']")
    assert answer.value.status == 204
    assert len(list(kept.rglob("*.png"))) == 1


def _doubtful(answer: dict) -> dict:
    answer["cards"][3] |= {"certain": False, "confidence": 0.5}
    return answer


def test_by_keyboard_alone(visit):
    player = visit()
    player.open(WOOD)
    page = player.page

    def press_until(selector: str) -> None:
        for _ in range(60):
            if page.evaluate(f"document.activeElement.matches({selector!r})"):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{selector} was not reached")

    press_until("#hint")
    for _ in range(3):
        page.keyboard.press("Enter")
    assert player.say().startswith("Set 1 of")
    page.keyboard.press("ArrowRight")
    assert player.say().startswith("Set 2 of")
    page.keyboard.press("ArrowLeft")
    assert player.say().startswith("Set 1 of")
    page.locator("#overlay .card").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#editor")).to_be_hidden()
    page.locator("#overlay .card").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    playwright.expect(page.locator("#editor")).to_be_hidden()


@pytest.mark.parametrize(("locale", "yes"), [("en-GB", "Yes, there is a set."), ("zh-CN", "有，桌上有 SET。")])  # noqa: RUF001
def test_in_both_languages(visit, locale, yes):
    player = visit(locale=locale)
    player.open(WOOD)
    assert player.say() == yes
    assert player.page.get_attribute("html", "lang") == ("en" if locale == "en-GB" else "zh-Hans")
    player.page.click("[data-language='zh']" if locale == "en-GB" else "[data-language='en']")
    assert player.say() != yes


def test_every_word_is_there_in_both_languages(visit):
    keys = """async () => {
        const words = await import("/page/words.js"), said = {};
        for (const language of ["en", "zh"]) {
            words.speak(language);
            said[language] = [...document.querySelectorAll("[data-say]")].map((element) => element.textContent);
        }
        return said;
    }"""
    said = visit().page.evaluate(keys)
    assert all(said["en"])
    assert all(said["zh"])
    assert not set(said["en"]) & set(said["zh"])


@pytest.mark.parametrize("width", [320, 1280])
def test_nothing_is_cut_off(visit, width):
    player = visit(viewport={"width": width, "height": 700})
    page = player.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    player.open(WOOD)
    for button in ("#hint", "#hint", "#hint", "#all", "#sets-title", "#cards-title"):
        page.click(button)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#cards button").first.click()
    box = page.locator("#editor").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(visit, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    player = visit(color_scheme=scheme)
    page = player.page
    # The rules are run in the page, which its own policy forbids to any but its own scripts.
    found = [axe.run(page)]
    player.open(WOOD)
    for button in ("#hint", "#hint", "#hint", "#all", "#sets-title", "#cards-title"):
        page.click(button)
    found.append(axe.run(page))
    page.locator("#cards button").first.click()
    found.append(axe.run(page))
    faults = [fault["id"] for results in found for fault in results.response["violations"]]
    assert faults == []


def test_a_photo_that_the_browser_cannot_show_is_turned_by_the_server(visit, tmp_path, truth):
    # As HEIC is: Chromium decodes neither that nor TIFF.
    cv2.imwrite(str(tmp_path / "wood.tiff"), cv2.imread(str(WOOD)))
    player = visit()
    player.open(tmp_path / "wood.tiff")
    assert player.page.locator("#overlay .card").count() == len(truth.cards)


def test_what_is_no_photo_is_said(visit, tmp_path):
    player = visit()
    path = tmp_path / "letter.txt"
    path.write_text("Dear Sir")
    player.page.set_input_files("#file", path)
    player.page.wait_for_selector("#error:visible")
    assert "is not a photo" in player.page.inner_text("#error")
    assert player.page.is_visible("#start")
    # The browser itself says so of every answer that is an error.
    player.faults = [fault for fault in player.faults if "415" not in fault]


def test_a_table_without_cards(visit, tmp_path):
    player = visit()
    cv2.imwrite(str(tmp_path / "bare.png"), np.full((300, 400, 3), 120, np.uint8))
    player.open(tmp_path / "bare.png")
    assert player.say().startswith("No card was found.")


def test_a_live_camera_is_followed_and_a_picture_kept(visit):
    player = visit()
    page = player.page
    page.click("#go-live")
    playwright.expect(page.locator("#overlay .card")).to_have_count(9)
    assert player.say().endswith(("Yes, there is a set.", "No, there is no set here."))
    page.click("#freeze")
    page.wait_for_selector("#photo:visible")
    page.wait_for_selector("#busy", state="hidden")
    playwright.expect(page.locator("#overlay .card")).to_have_count(9)
