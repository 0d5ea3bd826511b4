"""Disruption: eviction, preemption, spot nodes."""
