"""The stream of augmented crops that every method learns from."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from setml.training.augmentation import Augmenter
from setml.training.data import TrainingData

BATCH: Final = 96


def stream(
    data: TrainingData, batches: int, seed: int, strength: float = 1.0
) -> Iterator[tuple[npt.NDArray[np.uint8], npt.NDArray[np.intp]]]:
    """Augment the crops of one epoch.

    While one batch is learned from, the next is made.

    Parameters
    ----------
    data : TrainingData
        The crops.
    batches : int
        How many batches of :data:`BATCH` crops.
    seed : int
        Of the choice of crops and of augmentation.
    strength : float
        Of the augmentation.

    Yields
    ------
    crops : ndarray, uint8, (n, H, W, 3)
        BGR, augmented.
    places : ndarray, int, (n,)
        Where in ``data.train`` each is.
    """
    chosen = data.draw_epoch(batches * BATCH, np.random.default_rng(seed))
    flow = augmenting_generator(seed, strength).flow(
        data.train.images[chosen], chosen, batch_size=BATCH, shuffle=False, seed=seed
    )
    with ThreadPoolExecutor(1) as ahead:
        coming = ahead.submit(flow.__getitem__, 0)
        for batch in range(batches):
            crops, places = coming.result()
            if batch + 1 < batches:
                coming = ahead.submit(flow.__getitem__, batch + 1)
            yield crops, places


def augmenting_generator(seed: int, strength: float = 1.0) -> tf.keras.preprocessing.image.ImageDataGenerator:
    """Make Keras' generator of augmented crops: half turns and mirrors are its own, all else is the Augmenter's.

    Parameters
    ----------
    seed : int
        Of the Augmenter; the flow takes one for the turns.
    strength : float
        0 leaves crops as they are but for turns and mirrors, 1 is what is trained with.
    """
    return tf.keras.preprocessing.image.ImageDataGenerator(
        horizontal_flip=True,
        vertical_flip=True,
        preprocessing_function=Augmenter(seed, strength),
        dtype="uint8",
    )
