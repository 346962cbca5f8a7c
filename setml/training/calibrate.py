"""Confidence that means what it says: one temperature a head, fitted on crops that were not learned from."""

from __future__ import annotations

from typing import Final

import keras
import numpy as np
import numpy.typing as npt

from setml.datasets.crops import LabelledCrops
from setml.training.fit_nets import answers, predict

#: The temperatures that are tried: above 1 they lower confidence, below 1 they raise it.
TEMPERATURES: Final = np.exp(np.linspace(-1.0, 1.5, 101))


def calibrate(net: keras.Model, name: str, crops: LabelledCrops) -> dict[str, float]:
    """Divide the last layer of each head by the temperature at which the answers to some crops are likeliest.

    Guo et al., "On calibration of modern neural networks", 2017. No answer changes, only how sure it is.

    Parameters
    ----------
    net : keras.Model
        As :func:`setml.training.nets.make_net` makes it; it is changed.
    name : str
        Which of the nets.
    crops : LabelledCrops
        Not learned from.

    Returns
    -------
    dict of str to float
        The temperature of each head.
    """
    found = {}
    for head, said in predict(net, name, crops.images).items():
        targets, weights = answers(head, crops.values)
        counted = weights > 0
        if head == "card":
            said, targets = np.hstack([1 - said, said]), np.hstack([1 - targets, targets])
        found[head] = temperature(said[counted], targets[counted])
        layer = net.get_layer(head)
        layer.set_weights([weight / found[head] for weight in layer.get_weights()])
    return found


def temperature(said: npt.NDArray[np.floating], targets: npt.NDArray[np.floating]) -> float:
    """Find the temperature of least cross-entropy; `said` and `targets` are probabilities (n, k).

    Examples
    --------
    >>> said = np.array([[0.99, 0.01]] * 10)
    >>> right = np.array([[1.0, 0.0]] * 9 + [[0.0, 1.0]])
    >>> temperature(said, right) > 1.5
    True
    """
    logits = np.log(np.clip(said, 1e-9, 1))
    losses = []
    for tried in TEMPERATURES:
        scaled = logits / tried
        likelihood = scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True))
        losses.append(-(likelihood * targets).sum(axis=1).mean())
    return float(TEMPERATURES[int(np.argmin(losses))])
