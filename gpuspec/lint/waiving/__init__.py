"""Findings that somebody has waved through or knows already, and what is left."""
