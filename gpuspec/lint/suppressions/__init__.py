"""Findings that somebody has suppressed or knows already, and what is left."""
