"""The command line; thin: what it does is in the package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Final

import click

from setml import __version__

#: The module and the name in it of each command.
COMMANDS: Final = {
    "solve": ("solve", "solve"),
    "eval": ("eval", "evaluate"),
    "train": ("train", "train"),
    "train-extractor": ("train", "train_extractor"),
    "data": ("data", "data"),
    "serve": ("serve", "serve"),
    "live": ("live", "live"),
}


class _Lazy(click.Group):
    """Imports a command only when it is asked for: solving waits for none of the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name]
        command: click.Command = getattr(importlib.import_module(f"setml.cli.{module}"), attribute)
        return command


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Example:
  setml solve table.jpg -o sets.jpg
Shell completion:
  eval "$(_SETML_COMPLETE=bash_source setml)"    (or zsh_source; fish_source for fish)""",
)
@click.version_option(__version__, prog_name="setml")
def cli() -> None:
    """Read photographs of cards of the game SET and show every valid set."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an error is one line, and the exit status 2 for misuse, 1 for a photo that failed."""
    try:
        status = cli.main(arguments, prog_name="setml", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        status = 2
    except click.ClickException as error:
        click.echo(f"setml: {error.format_message()}".replace("\n", " "), err=True)
        status = error.exit_code
    except click.Abort:
        click.echo("setml: stopped", err=True)
        status = 130
    sys.exit(status if isinstance(status, int) else 0)
