"""Where programs run: the I/O edge of the translator."""
