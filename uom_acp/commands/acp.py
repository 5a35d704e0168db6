"""`uom acp`: serve an editor on stdin and stdout."""

import argparse

from uom_acp.schema_loading import load_schema


def run(arguments: argparse.Namespace) -> int:
    """Serve until the editor closes the connection."""
    load_schema()
    if arguments.login:
        from uom_acp.commands import login  # noqa: PLC0415 - the other thing this command does

        return login.run(arguments)
    from uom_acp.main import serve  # noqa: PLC0415 - after the models it is written with

    return serve(verbose=arguments.verbose)
