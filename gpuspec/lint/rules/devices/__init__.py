"""Requesting devices."""
