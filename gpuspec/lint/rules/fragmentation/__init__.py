"""Fragmentation."""
