"""The editor's door: an ACP agent server, and the `uom` command line."""
