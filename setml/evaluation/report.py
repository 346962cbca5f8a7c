"""The report: one HTML file with all tables, plots and pictures in it."""

from __future__ import annotations

import base64
import platform
from collections.abc import Mapping, Sequence
from typing import Any, Final

import cv2
import jinja2
import matplotlib as mpl
import numpy as np
import pandas as pd
from markupsafe import Markup

from setml import __version__
from setml.cards import ATTRIBUTES
from setml.datasets.catalogue import read_catalogue
from setml.datasets.crops import LabelledCrops
from setml.evaluation.plots import draw_confusions, draw_reliability, draw_speed

#: How many of the worst crops of a method are shown.
WORST: Final = 24

_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>setml: the comparison</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }
td, th { padding: .15rem .6rem; text-align: right; border-bottom: 1px solid #ddd; }
td:nth-child(-n+2), th:nth-child(-n+2) { text-align: left; }
img { max-width: 100%; }
</style>
<h1>The comparison</h1>
<p>setml {{ version }}, {{ machine }}. Figures are percentages; intervals hold 95 % of the figures that other
photographs would give (bootstrap by photograph).</p>
<ul>{% for line in data %}<li>{{ line }}</li>{% endfor %}</ul>
{% for title, text, table in tables %}<h2>{{ title }}</h2><p>{{ text }}</p>{{ table }}{% endfor %}
{% for title, text, plot in plots %}<h2>{{ title }}</h2><p>{{ text }}</p>{{ plot }}{% endfor %}
{% if worst %}<h2>The worst crops of each method</h2>
<p>Cards it read wrongly, the surest of its mistakes first, and what it took each for. Shown are those whose owners
give a licence; all are in crops.csv.</p>{% endif %}
{% for method, count, pictures in worst %}<h3>{{ method }}: {{ count }} wrong</h3>
{% for caption, picture in pictures %}<figure style="display:inline-block;margin:.2rem;font-size:.7rem">
<img alt="{{ caption }}" width="80" src="data:image/png;base64,{{ picture }}">
<figcaption>{{ caption }}</figcaption></figure>{% endfor %}{% endfor %}
</html>
"""


def render_report(
    tables: Sequence[tuple[str, str, pd.DataFrame]],
    rows: pd.DataFrame,
    crops: LabelledCrops,
    sizes: Mapping[str, int],
    data: Sequence[str],
) -> str:
    """Render the report.

    Parameters
    ----------
    tables : sequence of (str, str, DataFrame)
        A title, a sentence and the table.
    rows : DataFrame
        As :func:`setml.evaluation.crops.read_all` gives them; may be empty.
    crops : LabelledCrops
        What they are of.
    sizes : mapping of str to int
        Bytes of each classifier's models.
    data : sequence of str
        What the figures were measured on, a line each.

    Returns
    -------
    str
        HTML that needs no other file.
    """
    plots: list[tuple[str, str, str]] = []
    worst: list[tuple[str, int, list[tuple[str, str]]]] = []
    if len(rows):
        plots = [
            ("Confusion", "What was printed (rows) and what was read (columns).", draw_confusions(rows)),
            ("Reliability", "How often a card read with some confidence was right.", draw_reliability(rows)),
            (
                "Accuracy against time",
                "For twelve crops, as of one table; areas are model sizes.",
                draw_speed(rows, sizes),
            ),
        ]
        worst = list(_worst(rows, crops))
    page = jinja2.Environment(autoescape=True).from_string(_PAGE)
    return page.render(
        version=__version__,
        machine=f"Python {platform.python_version()}, OpenCV {cv2.__version__}, matplotlib {mpl.__version__}",
        data=data,
        tables=[(title, text, _as_html(table)) for title, text, table in tables],
        plots=[(title, text, Markup(plot)) for title, text, plot in plots],
        worst=worst,
    )


def _as_html(table: pd.DataFrame) -> Any:
    return Markup(table.to_html(index=False, border=0, float_format="{:.2f}".format, na_rep=""))


def _worst(rows: pd.DataFrame, crops: LabelledCrops) -> Any:
    """Yield for each method its name, how many cards it read wrongly, and pictures of the surest mistakes."""
    shown = {*read_catalogue(), "drawn", "own"}
    for method, group in rows[rows["is card"]].groupby("classifier", sort=False):
        wrong = group[~group["right"]].sort_values("confidence", ascending=False)
        pictures = []
        for _, row in wrong[wrong["source"].isin(shown)].head(WORST).iterrows():
            said = " ".join(str(row[f"{name} said"]) for name in ATTRIBUTES if row[name] != row[f"{name} said"])
            pictures.append((f"{row['source']}: {said}, {row['confidence']:.2f}", _as_png(crops.images[row["crop"]])))
        yield str(method), len(wrong), pictures


def _as_png(image: np.ndarray) -> str:
    _, png = cv2.imencode(".png", cv2.resize(image, (80, 124), interpolation=cv2.INTER_AREA))
    return base64.b64encode(png.tobytes()).decode()
