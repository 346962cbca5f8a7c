"""Draws the README's pictures anew, into ``data/pictures``: ``make pictures``."""

from __future__ import annotations

import shutil
import subprocess
import sys

import cv2
import numpy as np
from playwright.sync_api import Page, sync_playwright

from setml.datasets.samples import SAMPLES
from setml.datasets.tables import draw_table
from setml.extractors import EXTRACTORS
from setml.files import write_picture
from setml.photo import BGR
from setml.render import draw_sets
from setml.solver import solve
from tests.conftest import ROOT

PICTURES = ROOT / "data" / "pictures"
#: Drawn tables like the photographs that defeat thresholds.
HARDEST = {
    "white on white, without gaps": {"surface": "white", "seed": 4, "gap": 0.0},
    "overlapping on cloth": {"surface": "cloth", "seed": 8, "gap": -0.05},
    "on veined stone, in rows": {"surface": "stone", "seed": 6, "gap": 0.0},
    "from the side": {"surface": "wood", "seed": 7, "gap": 0.02, "tilt": 60.0},
}


def hardest() -> BGR:
    """Outline what the article's method and ours find on the hardest tables: one above the other."""
    rows = []
    for name in ("contours", "finder"):
        extractor, row = EXTRACTORS[name](), []
        for options in HARDEST.values():
            table = draw_table(12, size=(960, 720), **options)
            picture = table.image.copy()
            for quad in extractor.extract(picture).corners:
                cv2.polylines(picture, [np.round(quad).astype(np.int32)], True, (0, 0, 0), 9, cv2.LINE_AA)
                cv2.polylines(picture, [np.round(quad).astype(np.int32)], True, (0, 190, 255), 5, cv2.LINE_AA)
            row.append(cv2.resize(picture, (480, 360), interpolation=cv2.INTER_AREA))
        rows.append(np.hstack(row))
    return np.vstack(rows)


def photograph(page: Page, address: str) -> None:
    """Solve the sample on the page."""
    page.goto(address)
    page.set_input_files("#file", ROOT / "data" / "samples" / "wood.jpg")
    page.wait_for_selector("#hint:visible")


def main() -> None:
    """Draw all of them."""
    PICTURES.mkdir(exist_ok=True)
    table = SAMPLES["wood"]()
    write_picture(PICTURES / "wood-sets.jpg", draw_sets(table.image, solve(table.image)), overwrite=True)
    write_picture(PICTURES / "hardest.jpg", hardest(), overwrite=True)
    command = [sys.executable, "-m", "setml", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as manager:
        address = server.stdout.readline().split()[3]
        browser = manager.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        phone = browser.new_page(viewport={"width": 390, "height": 780}, device_scale_factor=1.5, locale="en")
        photograph(phone, address)
        for _ in range(2):
            phone.click("#hint")
        phone.screenshot(path=PICTURES / "phone.png")
        dark = browser.new_page(
            viewport={"width": 390, "height": 780}, device_scale_factor=1.5, locale="zh-CN", color_scheme="dark"
        )
        photograph(dark, address)
        dark.locator("#overlay .card").nth(4).click(force=True)
        dark.screenshot(path=PICTURES / "phone-zh.png")
        desktop = browser.new_page(viewport={"width": 1180, "height": 640}, locale="en")
        photograph(desktop, address)
        desktop.click("#all")
        desktop.click("#sets-title")
        desktop.screenshot(path=PICTURES / "desktop.png")
        browser.close()
        server.terminate()


if __name__ == "__main__":
    main()
