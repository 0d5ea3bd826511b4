"""Expressions in CEL, the Common Expression Language, as a Kubernetes API server reads them.

`syntax` takes a text apart, `checking` finds its type before it runs, `running` makes a function of
it, and `library` names the files with the functions that it may call. `rules` holds custom objects
to the rules of their definitions; nothing here is imported before there are any.
"""
