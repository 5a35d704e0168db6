"""`uom acp`: serve an editor on stdin and stdout."""

import argparse

from uom_acp.main import serve


def run(arguments: argparse.Namespace) -> int:
    """Serve until the editor closes the connection."""
    return serve(verbose=arguments.verbose)
