"""Suppressed and known findings, and the remaining ones."""
