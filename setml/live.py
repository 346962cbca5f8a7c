"""A webcam or a video: solved picture by picture, followed, drawn, shown and written."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from setml.files import written_beside
from setml.photo import BGR
from setml.render import draw_outlines, summary
from setml.solver import Solver
from setml.track import Tracker

#: Shows a picture, BGR, uint8, H x W x 3; False when the window was closed.
Window = Callable[[BGR], bool]

#: Of a video that does not say how many pictures it has a second.
USUAL_RATE: Final = 25.0


class VideoError(ValueError):
    """A video cannot be read, written or shown; the message is one line."""


@dataclass(frozen=True)
class Played:
    """What was done.

    Attributes
    ----------
    pictures : int
        How many were solved.
    seconds : float
        How long it took.
    """

    pictures: int
    seconds: float


def play(source: str, output: Path | None, show: bool, tell: Callable[[str], None] = print) -> Played:
    """Follow the cards of a video or a webcam until it ends, or its window is closed.

    Parameters
    ----------
    source : str
        A video file, or the number of a webcam.
    output : Path or None
        Where to write the video with the sets drawn on it, MP4.
    show : bool
        Show each picture in a window.
    tell : callable
        Is told a line whenever the cards have changed.

    Raises
    ------
    VideoError
        If the video cannot be opened, shown or written.
    """
    # What is wrong with a video is said here, in one line, and not by its decoder too.
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    is_camera = source.isdecimal()
    video = cv2.VideoCapture(int(source)) if is_camera else cv2.VideoCapture(source)
    if not video.isOpened():
        found = f"webcam {source}: there is none" if is_camera else f"{source}: cannot be opened as a video"
        raise VideoError(f"{found}; expected a video file or the number of a webcam, check it")
    rate = video.get(cv2.CAP_PROP_FPS)
    rate = rate if 1 <= rate <= 240 else USUAL_RATE
    size = (int(video.get(cv2.CAP_PROP_FRAME_WIDTH)), int(video.get(cv2.CAP_PROP_FRAME_HEIGHT)))
    window = open_window() if show else None
    solver, tracker = Solver(), Tracker()
    started, pictures = time.monotonic(), 0
    try:
        with _writing(output, rate, size) as write:
            while True:
                there, picture = video.read()
                if not there:
                    break
                # A file has a clock of its own, however fast it is worked through.
                now = time.monotonic() if is_camera else pictures / rate
                tracked = tracker.update(solver.solve(np.asarray(picture, np.uint8)), now)
                pictures += 1
                if tracked.has_changed:
                    tell(f"{now - started if is_camera else now:8.1f} s  {summary(tracked.solution)}")
                drawn = draw_outlines(np.asarray(picture, np.uint8), tracked.solution)
                if write is not None:
                    write(drawn)
                if window is not None and not window(drawn):
                    break
    finally:
        video.release()
    if not pictures:
        raise VideoError(f"{source}: holds no picture; expected a video, copy it again")
    return Played(pictures, time.monotonic() - started)


@contextmanager
def _writing(output: Path | None, rate: float, size: tuple[int, int]) -> Iterator[Callable[[BGR], object] | None]:
    """Write pictures to a video beside its place, which is renamed into it when all are there."""
    if output is None:
        yield None
        return
    with written_beside(output, overwrite=True) as beside:
        writer = cv2.VideoWriter(str(beside), cv2.VideoWriter.fourcc(*"mp4v"), rate, size)
        if not writer.isOpened():
            raise VideoError(f"{output}: cannot be written; expected a place for an MP4 video, name another")
        try:
            yield writer.write
        finally:
            writer.release()


def open_window() -> Window:
    """Open a window by Tk, which comes with Python.

    Raises
    ------
    VideoError
        If there is no Tk or no display.
    """
    try:
        import tkinter

        root = tkinter.Tk()
    except (ImportError, RuntimeError) as error:
        raise VideoError(f"no window can be opened ({error}); write the video with -o instead") from None
    except tkinter.TclError as error:
        raise VideoError(f"no window can be opened ({error}); write the video with -o instead") from None
    from PIL import Image, ImageTk

    root.title("setml")
    label = tkinter.Label(root)
    label.pack()
    is_open = [True]
    root.protocol("WM_DELETE_WINDOW", is_open.clear)
    root.bind("<Escape>", lambda _event: is_open.clear())

    def show(picture: BGR) -> bool:
        shown = ImageTk.PhotoImage(Image.fromarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)))
        label.configure(image=shown)
        label.image = shown  # type: ignore[attr-defined]  # Tk itself holds no reference
        root.update()
        if not is_open:
            root.destroy()
        return bool(is_open)

    return show
