"""Decide: data, calls, comparison, verdicts."""
