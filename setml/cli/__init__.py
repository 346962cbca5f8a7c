"""The command line; thin: what it does is in the package."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from setml import __version__
from setml.cli.data import data
from setml.cli.eval import evaluate
from setml.cli.solve import solve
from setml.cli.train import train, train_extractor


@click.group(
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


cli.add_command(solve)
cli.add_command(evaluate)
cli.add_command(train)
cli.add_command(train_extractor)
cli.add_command(data)


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
