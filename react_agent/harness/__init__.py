"""The programs that run on both sides, for workers and for people."""
