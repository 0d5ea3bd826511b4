"""Sharing, MIG and claims."""
