"""Pods that are of no use alone, and the systems that start and queue them."""
