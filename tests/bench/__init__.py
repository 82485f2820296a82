"""Benchmarks: measured and printed, never asserted in the test run."""
