"""Gangs, queues and Jobs; processes against devices."""
