"""Serving and scaling (GPU8xx)."""
