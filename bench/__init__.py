"""Benchmarks; each prints ratios to a floor measured in the same run."""
