"""Governance: contracts, and where images, models and code come from."""
