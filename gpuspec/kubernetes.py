"""The versions of Kubernetes that objects are made for and held to.

`schemas/make_kubernetes.py` makes the schemas of each; whatever else names them takes them from here.
"""

VERSIONS = ("1.33", "1.34", "1.35", "1.36", "1.37")
"""Oldest first."""
