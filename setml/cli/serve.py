"""``setml serve``: the page for the phone, and the HTTP interface."""

from __future__ import annotations

import socket
from pathlib import Path

import click

_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.command(
    epilog="""\b
Examples:
  setml serve                       on this machine alone: http://127.0.0.1:8000
  setml serve --lan                 for the phones in the same network, with a code to scan
  setml serve --keep corrections/   and keep the cards that players correct"""
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port; 0 takes any.")
@click.option("--lan", is_flag=True, help="Listen to the whole network, and print the address as a QR code.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the crops of corrected cards in this folder, where the player agrees.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Photos solved at a time; by default one for each core.")
@click.option("--waiting", type=click.IntRange(min=0), default=2, show_default=True, help="Photos that may wait.")
@click.option("--certificate", type=_FILE, help="For https, without which browsers give a phone's camera to no page.")
@click.option("--key", type=_FILE, help="Of the certificate.")
def serve(
    host: str,
    port: int,
    lan: bool,
    keep: Path | None,
    workers: int | None,
    waiting: int,
    certificate: Path | None,
    key: Path | None,
) -> None:
    """Serve the page that finds sets, to this machine or to a network; photos are kept nowhere."""
    try:
        import uvicorn

        from setml.serve import Limits, make_app
        from setml.serve.live import MOST_BYTES
    except ImportError:
        raise click.UsageError("serving needs an extra; install it by: pip install 'setml[serve]'") from None
    from setml.model import ModelError

    limits = Limits(waiting=waiting) if workers is None else Limits(workers=workers, waiting=waiting)
    try:
        app = make_app(limits, keep)
    except ModelError as error:
        raise click.UsageError(str(error)) from None
    listening = _listen("0.0.0.0" if lan else host, port)
    name = _address() if lan else host
    told = f"[{name}]" if ":" in name else name
    address = f"{'https' if certificate else 'http'}://{told}:{listening.getsockname()[1]}"
    click.echo(f"setml is at {address} (stop it by Ctrl+C)")
    if lan:
        import segno

        click.echo(_as_text(segno.make(address, error="m")))
    config = uvicorn.Config(
        app,
        log_level="warning",
        server_header=False,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        timeout_graceful_shutdown=round(limits.seconds),
        h11_max_incomplete_event_size=2**16,
        ws_max_size=MOST_BYTES,
    )
    uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """Take the address before anything is told of it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise click.UsageError(f"{host}:{port} cannot be listened at ({error.strerror}); name another --port") from None
    return listening


def _address() -> str:
    """Return this machine's address in its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def _as_text(code: object) -> str:
    import io

    text = io.StringIO()
    code.terminal(out=text, compact=True)  # type: ignore[attr-defined]
    return text.getvalue()
