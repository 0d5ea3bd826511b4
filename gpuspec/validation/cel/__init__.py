"""Expressions (CEL) in Kubernetes' objects, and the API server's checks of them.

`expressions` has those of its own kinds, `definitions` those of custom definitions, and `rules`
checks custom objects against the latter. Nothing here is imported before an object needs it.
"""
