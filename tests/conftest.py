from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from setml.datasets.tables import Table, draw_table

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def table() -> Table:
    """A drawn table of twelve cards."""
    return draw_table(12, seed=3, surface="wood")


@pytest.fixture(scope="session")
def real_tables() -> Path:
    """The folder of labelled photographs, where it is at hand."""
    folder = Path(os.environ.get("SETML_DATA", ROOT.parent / "shared" / "data")) / "tables"
    if not (folder / "labels.json").is_file():
        pytest.skip("the labelled photographs are not at hand; SETML_DATA names their folder")
    return folder


# No test depends on how fast the machine is.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
