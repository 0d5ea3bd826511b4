"""Serving and scaling."""
