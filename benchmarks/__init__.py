"""Benchmarks of the command line against named peers: `make bench`."""
