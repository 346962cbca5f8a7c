"""``setml live``: a webcam or a video file, with the sets drawn on it."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command(
    epilog="""\b
Examples:
  setml live                               the first webcam, in a window
  setml live game.mp4 -o sets.mp4          a video file; another one with the sets drawn on it
  setml live game.mp4 -o sets.mp4 --show   and in a window meanwhile"""
)
@click.argument("source", default="0", metavar="[VIDEO|NUMBER]")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the video here (.mp4).")
@click.option("--overwrite", is_flag=True, help="Let the video replace a file that is there; never the source.")
@click.option("--show/--no-show", default=None, help="Show a window; by default where no video is written.")
def live(source: str, output: Path | None, overwrite: bool, show: bool | None) -> int:
    """Follow the cards in a video file or before a webcam, by its number, and draw the sets."""
    from setml.live import VideoError, play
    from setml.model import ModelError

    if output is not None:
        if output.suffix.lower() != ".mp4":
            raise click.UsageError(f"-o {output} is no kind of video that can be written; expected .mp4")
        if output.exists() and Path(source).exists() and output.samefile(source):
            raise click.UsageError(f"-o {output} is the source; name another file, sources stay as they are")
        if output.exists() and not overwrite:
            raise click.UsageError(f"-o {output} exists; name another file, or add --overwrite to replace it")
    try:
        told = play(source, output, output is None if show is None else show, click.echo)
    except ModelError as error:
        raise click.UsageError(str(error)) from None
    except VideoError as error:
        click.echo(f"setml: {error}", err=True)
        return 1
    if sys.stderr.isatty() or output is not None:
        click.echo(f"{told.pictures} pictures, {told.pictures / max(told.seconds, 1e-9):.1f} a second", err=True)
    return 0
