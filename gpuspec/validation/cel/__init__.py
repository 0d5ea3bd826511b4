"""Where Kubernetes' objects have expressions, and what an API server says of these.

`expressions` are those of its own kinds, `definitions` those of definitions of others, and `rules`
holds custom objects to the latter; nothing here is imported before there are any.
"""
