"""The plots of the report, as SVG."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from setml.cards import ATTRIBUTES, VALUES


def draw_confusions(rows: pd.DataFrame) -> str:
    """Draw a confusion matrix for each method (rows) and attribute (columns); `rows` are of `read_all`."""
    cards = rows[rows["is card"]]
    methods = list(dict.fromkeys(cards["classifier"]))
    figure = Figure((12, 2.6 * len(methods)), layout="constrained")
    for axes, (method, attribute) in zip(
        figure.subplots(len(methods), 4, squeeze=False).ravel(),
        [(method, attribute) for method in methods for attribute in ATTRIBUTES],
        strict=True,
    ):
        names = [str(value) for value in VALUES[attribute]]
        of = cards[cards["classifier"] == method]
        counts = np.array(
            [[((of[attribute] == a) & (of[f"{attribute} said"] == b)).sum() for b in names] for a in names]
        )
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        for (row, column), count in np.ndenumerate(counts):
            axes.text(
                column, row, count, ha="center", va="center", color="white" if shares[row, column] > 0.5 else "black"
            )
        axes.set_xticks(range(3), names)
        axes.set_yticks(range(3), names)
        axes.set_title(f"{method}: {attribute}", fontsize=10)
    return _as_svg(figure)


def draw_reliability(rows: pd.DataFrame, bins: int = 10) -> str:
    """Draw how often cards of some confidence were right, a curve for each method and a plot for each split."""
    cards = rows[rows["is card"]]
    splits = list(dict.fromkeys(cards["split"]))
    figure = Figure((5.5 * len(splits), 5), layout="constrained")
    for axes, split in zip(figure.subplots(1, len(splits), squeeze=False).ravel(), splits, strict=True):
        axes.plot([0, 1], [0, 1], color="0.7", linestyle="--")
        for method, group in cards[cards["split"] == split].groupby("classifier", sort=False):
            which = np.minimum((group["confidence"] * bins).astype(int), bins - 1)
            means = group.groupby(which)[["confidence", "right"]].mean()
            axes.plot(means["confidence"], means["right"], marker="o", label=method)
        axes.set(xlabel="confidence", ylabel="share right", title=f"split {split}")
        axes.legend()
    return _as_svg(figure)


def draw_speed(rows: pd.DataFrame, sizes: Mapping[str, int]) -> str:
    """Draw whole cards read wrongly against the time for twelve; `sizes` are bytes of each method's models."""
    cards = rows[rows["is card"]]
    figure = Figure((8, 5), layout="constrained")
    axes = figure.subplots()
    for method, group in cards.groupby("classifier", sort=False):
        milliseconds = 12_000 * group["seconds"].median()
        wrong = max(100 * (1 - group["right"].mean()), 0.01)
        area = 40 + sizes.get(str(method), 0) / 10_000
        axes.scatter(milliseconds, wrong, s=area, alpha=0.6)
        axes.annotate(str(method), (milliseconds, wrong), xytext=(8, 4), textcoords="offset points")
    axes.set(xscale="log", yscale="log", xlabel="milliseconds for twelve crops", ylabel="% of cards wrong")
    axes.grid(alpha=0.3, which="both")
    return _as_svg(figure)


def draw_curves(history: Sequence[Mapping[str, Any]]) -> str:
    """Draw how nets learned: cross-entropy by epoch, a plot for each net.

    Parameters
    ----------
    history : sequence of mapping
        A row for each net and epoch: "net", "epoch", "train loss" and, on split `val`, "loss".
    """
    nets = list(dict.fromkeys(row["net"] for row in history))
    figure = Figure((4 * len(nets), 3.2), layout="constrained")
    for axes, net in zip(figure.subplots(1, len(nets), squeeze=False).ravel(), nets, strict=True):
        rows = [row for row in history if row["net"] == net]
        for key, label in (("train loss", "augmented crops learned from"), ("loss", "crops of val")):
            axes.plot([row["epoch"] for row in rows], [row[key] for row in rows], marker=".", label=label)
        axes.set(yscale="log", xlabel="epoch", title=net)
        axes.legend(fontsize=8)
    return _as_svg(figure)


def _as_svg(figure: Figure) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    # What stands before the element is for files of their own.
    return svg[svg.index("<svg") :]
