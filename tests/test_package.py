from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT


def test_the_wheel_alone_solves_a_photo_in_an_empty_environment(tmp_path):
    # Isolated builds and installs say on standard error what they lack.
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path), str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("setml-*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    python = next(path for path in (tmp_path / "env/bin/python", tmp_path / "env/Scripts/python.exe") if path.exists())
    constraints = str(ROOT / "constraints.txt")
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", constraints]
    subprocess.run([*install, str(wheel)], check=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    result = subprocess.run(
        [str(python.parent / "setml"), "solve", "--json", str(ROOT / "data/samples/wood.jpg")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        check=True,
    )
    assert len(json.loads(result.stdout)["sets"]) == 3
    where = [str(python), "-c", "import setml; print(setml.__file__)"]
    home = subprocess.run(where, capture_output=True, text=True, cwd=tmp_path, env=environment, check=True).stdout
    assert not Path(home.strip()).is_relative_to(ROOT)
    assert (Path(home.strip()).parent / "py.typed").exists()
