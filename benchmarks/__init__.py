"""Measurements of the package beside its peers: `python -m benchmarks --help`."""
