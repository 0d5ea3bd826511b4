"""Queues of schedulers, and what waits in them."""
