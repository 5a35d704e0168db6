"""The graph's nodes, one file each."""
