"""Nodes, and the fields that decide where a pod can run."""
