"""Checkpoints: all nets of a training and how far it has come, saved whole or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import keras


def save_checkpoint(folder: Path, nets: Mapping[str, keras.Model], state: Mapping[str, Any]) -> None:
    """Save nets and a state that JSON can hold, in place of what the folder held before."""
    beside, old = folder.with_name(f"{folder.name}-beside"), _old(folder)
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    for name, net in nets.items():
        net.save(beside / f"{name}.keras")
    (beside / "state.json").write_text(json.dumps(state), "utf-8")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    beside.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def load_state(folder: Path, of: str) -> dict[str, Any] | None:
    """Load the state of a checkpoint; None if there is none, or it is of another training than its "of" says."""
    if not folder.exists() and _old(folder).exists():
        # Stopped between the two renamings.
        _old(folder).rename(folder)
    saved = folder / "state.json"
    if not saved.exists():
        return None
    state: dict[str, Any] = json.loads(saved.read_text("utf-8"))
    return state if state["of"] == of else None


def _old(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}-old")
