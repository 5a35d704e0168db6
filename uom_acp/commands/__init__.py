"""The `uom` command line, one file a command."""
