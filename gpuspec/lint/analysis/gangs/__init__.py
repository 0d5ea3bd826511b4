"""Pods that are of no use alone, and what starts and queues them."""
