"""Queues of schedulers, and the pods that wait in them."""
