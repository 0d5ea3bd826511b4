"""Rollout and shutdown."""
